import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import FrameDelivery

@Suite(.timeLimit(.minutes(1))) struct RevisionGateTests {
  private static func frame(_ sequence: UInt64, of revision: UInt64, stream: UInt64) -> CapturedFrame {
    CapturedFrame(
      frame: .fake(sequence: sequence, streamID: stream, at: .epoch + sequence * 1_000_000)!, input: "camera",
      configRevision: revision)
  }

  @Test func aFrameOfAFormerCameraComesTooLate() {
    var gate = RevisionGate()
    let passed = [1, 2, 1, 2, 3].map { gate.passes(Self.frame(0, of: $0, stream: 1)) }
    #expect(passed == [true, true, false, true, true])
  }

  @Test func aFailedCommitLetsTheFormerRevisionThrough() {
    var gate = RevisionGate()
    gate.expect(2)
    let ofTheCommit = gate.passes(Self.frame(0, of: 2, stream: 2))
    gate.expect(1)
    let afterIt = gate.passes(Self.frame(0, of: 1, stream: 3))
    // The next commit is made while a frame is under way, and no frame of its own has come.
    gate.expect(2)
    let underWay = gate.passes(Self.frame(1, of: 1, stream: 3))
    #expect([ofTheCommit, afterIt, underWay] == [true, true, true])
  }

  /// Readers of either kind of output get no frame of a former camera after one of the present camera.
  @Test func noReaderTurnsBack() async throws {
    let (context, directory) = (FakeOutputContext(), ReaderDirectory())
    let data = VideoDataOutput(
      id: "data", settings: VideoDataSettings(queueDepth: 8), context: context, directory: directory)
    let preview = PreviewOutput(id: "preview", context: context, directory: directory)
    for output in [data, preview] as [any CaptureOutput] {
      OutputSteering(output).change { $0.status = SessionStatus(.running) }
      try await output.prepare()
    }
    let (reader, viewer) = (try data.attach(VideoDataRequest()), try preview.attach(PreviewRequest(encoding: .nv12)))
    var (read, viewed): ([UInt64], [UInt64]) = ([], [])
    for captured in [
      Self.frame(7, of: 1, stream: 1), Self.frame(0, of: 2, stream: 2), Self.frame(8, of: 1, stream: 1),
      Self.frame(1, of: 2, stream: 2),
    ] {
      data.receive(captured)
      preview.receive(captured)
      if captured.frame.sequence == 8 { continue }
      while read.last != captured.frame.sequence {
        if case .frame(let got, _, _) = try await reader.next() { read.append(got.frame.sequence) }
      }
      viewed.append(try await viewer.nextPicture().sequence)
    }
    #expect(read == [7, 0, 1] && viewed == [7, 0, 1])
    #expect(data.counts?.received == 3 && preview.counts?.received == 3)
  }
}
