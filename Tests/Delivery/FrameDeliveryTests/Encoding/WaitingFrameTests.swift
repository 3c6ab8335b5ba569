import CaptureCore
import CaptureTestKit
import Testing

@testable import FrameDelivery

/// Which frames wait for an encoder that is busy. The limit only ends a broken test.
@Suite(.timeLimit(.minutes(2))) struct WaitingFrameTests {
  /// The newest frame is enough for a screen. In a recording of H.264, a frame that is skipped is a gap.
  @Test(arguments: [(PreviewEncoding.jpeg, [UInt64(1), 4]), (.h264, [1, 3, 4])])
  func theNewestFramesWait(encoding: PreviewEncoding, encoded: [UInt64]) async throws {
    let stage = try await PreviewStage(encoder: FakeEncoder(gated: true))
    let reader = try stage.output.attach(PreviewRequest(encoding: encoding))
    stage.capture(1)
    _ = try await stage.encoder.begun.wait(count: 1)
    for sequence in UInt64(2)...4 { stage.capture(sequence) }
    for (before, sequence) in zip([0] + encoded, encoded) {
      stage.encoder.pass()
      try await reader.expectPicture(sequence, dropped: DropCounts(late: sequence - before - 1))
    }
  }
}
