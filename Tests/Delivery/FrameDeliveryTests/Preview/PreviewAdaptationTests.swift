import CaptureCore
import CaptureTestKit
import Imaging
import Testing

@testable import FrameDelivery

/// Readers of a preview that adapt to their links, on the stage's clock. Frames come every 40 ms.
@Suite(.timeLimit(.minutes(2))) struct PreviewAdaptationTests {
  /// A reader that acknowledges late gets a lower rate and smaller pictures. Another reader of the same encoding goes
  /// on with every frame in full size.
  @Test func aSlowReaderGetsLessAndOtherReadersGetEverything() async throws {
    let stage = try await PreviewStage()
    let layout = FrameLayout.packed(.nv12, Size(width: 256, height: 144))!
    let slow = try stage.output.attach(
      PreviewRequest(encoding: .nv12, isAdaptive: true, maxUnacknowledgedFrames: 1))
    let other = try stage.output.attach(PreviewRequest(encoding: .nv12))
    var sizes: [Size] = []
    var sequence: UInt64 = 0
    while sizes.count < 20, sizes.last == nil || sizes.last == layout.size {
      // The slow reader acknowledges a picture ten periods later, so the frames in between are late.
      for _ in 0..<10 {
        sequence += 1
        stage.capture(sequence, layout: layout)
        #expect(try await other.nextPicture().picture.layout.size == layout.size)
      }
      let picture = try await slow.nextPicture()
      sizes.append(picture.picture.layout.size)
      slow.acknowledge(sequence: picture.sequence)
    }
    #expect(sizes.last != layout.size && sizes.count < 10)
    // The status tells the reader which rate and size it gets.
    stage.change { $0.status = SessionStatus(.stopping) }
    var status: PreviewStatus?
    while status?.session.state != .stopping {
      if case .status(let told) = try await slow.next() { status = told }
    }
    #expect(status?.every == 2 && status?.size == sizes.last)
  }

  /// A reduction for which there is no encoding left is not made, so no status announces a reduction.
  @Test func aRefusedReductionIsNotTold() async throws {
    let stage = try await PreviewStage()
    let layout = FrameLayout.packed(.nv12, Size(width: 256, height: 144))!
    let slow = try stage.output.attach(PreviewRequest(encoding: .h264, isAdaptive: true, maxUnacknowledgedFrames: 1))
    let other = try stage.output.attach(PreviewRequest(encoding: .h264))
    // No other encoding may run, and the rate is a part of an H.264 encoding, so the reader's rate cannot change.
    let full = try (1..<PreviewOutput.maxEncodings).map { try stage.output.attach(PreviewRequest(jpegQuality: $0)) }
    let events = Recorder<PreviewEvent>()
    let ask = slow.asking { if case .success(let event) = $0 { events.append(event) } }
    var (sequence, seen, told): (UInt64, Int, [Int]) = (0, 0, [])
    var (pictures, held): (Int, (sequence: UInt64, since: UInt64)?) = (0, nil)
    ask()
    while pictures < 12 {
      sequence += 1
      stage.capture(sequence, layout: layout)
      while try await other.nextPicture().sequence < sequence {}
      for event in events.all.dropFirst(seen) {
        seen += 1
        switch event {
        case .status(let status):
          told.append(status.every)
          ask()
        case .frame(let picture):
          pictures += 1
          held = (picture.captured.frame.sequence, sequence)
        }
      }
      // The reader takes ten periods for each picture.
      if let acknowledged = held, sequence >= acknowledged.since + 10 {
        held = nil
        slow.acknowledge(sequence: acknowledged.sequence)
        ask()
      }
    }
    #expect(Set(told) == [1])
    withExtendedLifetime(full) {}
  }

  /// When the reduction of a reader needs an encoding too many, only the reader's rate changes. The rest of the
  /// reduction follows once there is room.
  @Test func aReductionWithoutRoomForAnEncodingChangesOnlyTheRate() throws {
    var table = PreviewRoutingTableTests.table(maxEncodings: 2)
    _ = try table.add("a", PreviewRequest())
    _ = try table.add("b", PreviewRequest())
    _ = try table.add("c", PreviewRequest(jpegQuality: 20))
    #expect(table.setReduction(Reduction(quality: 2, every: 2), of: "a") == PreviewRoutingTable.Changes())
    #expect(table.route(of: "a") == table.route(of: "b") && table.pace(of: "a").every == 2)
    #expect(table.remove("c").started.map(\.quality) == [40], "there is room now")
    #expect(table.setReduction(Reduction(quality: 2, every: 2), of: "a") == PreviewRoutingTable.Changes())
    #expect(table.pace(of: "b").every == 1)
    #expect(table.setReduction(.none, of: "a").stopped.map(\.quality) == [40])
  }

  /// To make room for a new reader, the table takes back the encodings that readers on slow links asked for.
  @Test func newReadersTakePrecedenceOverReductions() throws {
    var table = PreviewRoutingTableTests.table(maxEncodings: 3)
    _ = try table.add("a", PreviewRequest(jpegQuality: 80))
    _ = try table.add("b", PreviewRequest(jpegQuality: 80))
    _ = try table.add("c", PreviewRequest(jpegQuality: 20))
    #expect(table.setReduction(Reduction(quality: 2, every: 2), of: "a").started.map(\.quality) == [40])
    let changes = try table.add("d", PreviewRequest(jpegQuality: 50))
    #expect(changes.started.map(\.quality) == [50] && changes.stopped.map(\.quality) == [40])
    #expect(table.route(of: "a") == table.route(of: "b") && table.pace(of: "a").every == 2)
    let before = table.readers
    #expect(throws: CaptureError.self) { try table.add("e", PreviewRequest(jpegQuality: 30)) }
    #expect(table.readers == before && table.readerCount == 4)
    let left = table.remove("c")
    #expect(left.started.map(\.quality) == [40] && left.stopped.map(\.quality) == [20])
  }
}
