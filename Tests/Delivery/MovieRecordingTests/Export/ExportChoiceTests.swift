import Testing
import VideoCoding

@testable import MovieRecording

/// Which recordings of a span become one movie. A frame takes 10 µs.
struct ExportChoiceTests {
  /// - Parameter form: nil for a container without an index.
  private func candidate(
    _ times: Range<Int64>, _ form: UInt64?, device: String = "a"
  ) -> ExportChoice.Candidate {
    ExportChoice.Candidate(
      start: times.lowerBound * 1000, end: times.upperBound * 1000, framePeriod: 10_000, device: device,
      form: form.map { MovieForm(digests: [0: $0]) })
  }

  private func chosen(_ candidates: ExportChoice.Candidate...) throws -> [Int] { try ExportChoice(candidates).chosen() }

  @Test func recordingsOfOneFormAreChosen() throws {
    #expect(try chosen() == [])
    #expect(try chosen(candidate(0..<100, 1), candidate(100..<200, 1), candidate(300..<400, 1)) == [0, 1, 2])
  }

  @Test func aChangeIsAnObstacle() {
    #expect(throws: ExportChoice.Obstacle.difference(.form, 1)) {
      try chosen(candidate(0..<100, 1), candidate(100..<200, 2), candidate(200..<300, 1))
    }
    #expect(throws: ExportChoice.Obstacle.difference(.camera, 2)) {
      try chosen(candidate(0..<100, 1), candidate(100..<200, 1), candidate(200..<300, 1, device: "b"))
    }
    #expect(throws: ExportChoice.Obstacle.container(1)) {
      try chosen(candidate(0..<100, 1), candidate(100..<200, nil))
    }
    #expect(throws: ExportChoice.Obstacle.container(0)) { try chosen(candidate(0..<100, nil)) }
  }

  /// The second one has a pre-roll, and another container.
  @Test func whatOthersHaveIsLeftOut() throws {
    #expect(try chosen(candidate(0..<100, 1), candidate(60..<100, 2)) == [0])
    #expect(try chosen(candidate(0..<40, 1), candidate(0..<100, 2)) == [1])
    #expect(try chosen(candidate(0..<100, 1), candidate(60..<100, nil)) == [0])
    #expect(try chosen(candidate(0..<30, 1), candidate(0..<60, 2), candidate(60..<90, 2)) == [1, 2])
    #expect(throws: ExportChoice.Obstacle.difference(.form, 1)) {
      try chosen(candidate(0..<80, 1), candidate(60..<100, 2))
    }
  }

  /// The last frame of a recording is shown for an estimated time, so the next recording may begin before its end.
  @Test func anEstimateIsNoFrame() throws {
    #expect(try chosen(candidate(0..<100, 1), candidate(96..<100, 2)) == [0])
    #expect(try chosen(candidate(0..<4, 1), candidate(0..<100, 2)) == [1])
  }
}
