import CaptureCore
import CaptureTestKit
import Testing

@testable import FrameDelivery

/// Frames come 25 times a second.
@Suite(.timeLimit(.minutes(2))) struct PreviewRateTests {
  static func rate(_ frames: UInt32) -> PreviewRequest {
    PreviewRequest(encoding: .nv12, maxFrameRate: Rational(frames, 1))
  }

  @Test func aReaderGetsItsRateAndTheCountOfWhatWasLeftOut() async throws {
    let stage = try await PreviewStage()
    let slow = try stage.output.attach(Self.rate(5))
    let fast = try stage.output.attach(PreviewRequest(encoding: .nv12))
    var seen: [(UInt64, DropCounts, UInt64)] = []
    for sequence in UInt64(1)...12 {
      stage.capture(sequence)
      #expect(try await fast.nextPicture().omitted == 0)
      guard sequence % 5 == 1 else { continue }
      let picture = try await slow.nextPicture()
      seen.append((picture.sequence, picture.dropped, picture.omitted))
    }
    #expect(seen.map(\.0) == [1, 6, 11] && seen.map(\.2) == [0, 4, 4])
    #expect(seen.allSatisfy { $0.1 == DropCounts() })
    let intervals = stage.output.counts?.cadence.interval.counts.reduce(0, +)
    #expect(intervals == 11, "those of the slow reader are its own wish")
  }

  @Test func whatIsLateIsToldApart() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(Self.rate(5))
    stage.capture(1)
    #expect(try await reader.nextPicture().sequence == 1)
    // Due are 6, 11 and 16; it reads only then.
    for sequence in UInt64(2)...18 {
      stage.capture(sequence, missing: DropCounts(discontinuity: sequence == 9 ? 2 : 0))
    }
    let picture = try await reader.nextPicture()
    #expect(picture.sequence == 16 && picture.dropped == DropCounts(late: 2, discontinuity: 2) && picture.omitted == 12)
  }

  @Test(arguments: [false, true]) func aRateNamedAnewBeginsItsCountAnew(_ startsOver: Bool) async throws {
    let stage = try await PreviewStage()
    let former = try stage.output.attach(Self.rate(5))
    for sequence in UInt64(1)...10 { stage.capture(sequence) }
    former.detach()
    // Before the next frame: the former reader's count must not be taken for this one's.
    let reader = try stage.output.attach(Self.rate(5))
    stage.capture(11, streamID: startsOver ? 2 : 1)
    var picture = try await reader.nextPicture()
    while picture.sequence < 11 { picture = try await reader.nextPicture() }
    #expect(picture.sequence == 11 && picture.omitted == 0)
  }

  @Test func onlyWantedFramesAreEncoded() async throws {
    let stage = try await PreviewStage()
    let readers = try (0..<2).map { _ in try stage.output.attach(PreviewRequest(maxFrameRate: Rational(5, 1))) }
    for sequence in UInt64(1)...11 {
      stage.capture(sequence)
      guard sequence % 5 == 1 else { continue }
      for reader in readers { #expect(try await reader.nextPicture().sequence == sequence) }
    }
    #expect(stage.encoder.begun.all.map(\.value) == [1, 6, 11])

    // Who wants all of them shares the encoding.
    let all = try stage.output.attach(PreviewRequest())
    for sequence in UInt64(12)...16 {
      stage.capture(sequence)
      while try await all.nextPicture().sequence < sequence {}
    }
    #expect(stage.encoder.begun.all.map(\.value) == [1, 6, 11, 12, 13, 14, 15, 16])
    let picture = try await readers[0].nextPicture()
    #expect(picture.sequence == 16 && picture.omitted == 4 && picture.dropped == DropCounts())
  }

  @Test func theFirstFrameComesWhateverTheRate() async throws {
    let stage = try await PreviewStage()
    let first = try stage.output.attach(Self.rate(5))
    stage.capture(1)
    stage.capture(2)
    #expect(try await first.nextPicture().sequence == 1)
    let second = try stage.output.attach(Self.rate(5))
    let encoded = try stage.output.attach(PreviewRequest(maxFrameRate: Rational(5, 1)))
    #expect(try await second.nextPicture().sequence == 2)
    #expect(try await encoded.nextPicture().sequence == 2)
    for sequence in UInt64(3)...6 { stage.capture(sequence) }
    for reader in [second, encoded] {
      let picture = try await reader.nextPicture()
      #expect(picture.sequence == 6 && picture.omitted == 3 && picture.dropped == DropCounts())
    }
  }

  @Test func eachOfManyRatesHasItsOwnGrid() async throws {
    let stage = try await PreviewStage()
    let readers = try (1...PreviewOutput.maxReaders).map { nth in
      try stage.output.attach(PreviewRequest(encoding: .nv12, maxFrameRate: Rational(25, UInt32(nth))))
    }
    for sequence in UInt64(1)...30 { stage.capture(sequence) }
    for (reader, nth) in zip(readers, UInt64(1)...) {
      // Every n-th frame, of which the newest waits.
      #expect(try await reader.nextPicture().sequence == 1 + nth * (29 / nth))
    }
  }

  @Test func aRateOfNothingIsRefused() async throws {
    let stage = try await PreviewStage()
    for rate in [Rational(0, 1), Rational(1, 0)] {
      let error = #expect(throws: CaptureError.self) { try stage.output.attach(PreviewRequest(maxFrameRate: rate)) }
      #expect(error?.field == "max_frame_rate")
    }
  }
}
