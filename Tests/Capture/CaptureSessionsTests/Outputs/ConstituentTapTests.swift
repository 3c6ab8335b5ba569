import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests of which cameras give an output the frames that it taps.
@Suite struct ConstituentTapTests {
  /// Records the inputs and numbers of frames.
  private final class Tap: FrameTap {
    let frames = Recorder<String>()

    func receive(_ frame: CapturedFrame) { frames.append("\(frame.input) \(frame.frame.sequence)") }
  }

  private static func camera(_ input: String) -> FrameFanOut {
    let ring = FrameRing(limits: .init(windowNanoseconds: 0, maximumFrames: 1, maximumBytes: 1 << 20))
    let frames = FrameFanOut(ring: ring) { _, _ in }
    frames.configure(outputs: [], input: input, revision: 1)
    return frames
  }

  private let cameras = ["a": camera("a"), "b": camera("b"), "c": camera("c")]
  private let tap = Tap()

  private func context() -> CameraOutputContext {
    CameraOutputContext(SessionOutputContext(sessionID: "session", frames: cameras["a"]!, onFirstSend: { _ in }))
  }

  private func publish(_ sequence: UInt64) {
    for input in ["a", "b", "c"] { cameras[input]?.publish(.fake(sequence: sequence, at: .epoch + sequence)!) }
  }

  @Test("H12: cameras are tapped only while an output asks for it") func onlyMeanwhile() {
    let context = context()
    context.connect(["a": cameras["a"]!, "b": cameras["b"]!])
    publish(1)
    context.tap(["a", "b", "c"], for: tap)
    publish(2)
    context.tap([], for: tap)
    publish(3)
    #expect(tap.frames.all == ["a 2", "b 2"])
  }

  @Test("H12: every frame is tapped, also those that a limit on the rate leaves out") func everyFrame() {
    let context = context()
    context.connect(cameras)
    cameras["b"]!.setRates(streamID: 1, deviceRate: Rational(30, 1), rate: Rational(1, 1), previewRate: nil)
    context.tap(["b"], for: tap)
    for sequence in UInt64(1)...3 { publish(sequence) }
    #expect(tap.frames.all == ["b 1", "b 2", "b 3"])
  }

  @Test("H12: a tap follows a commit that gives an input another camera") func commit() {
    let context = context()
    context.connect(["a": cameras["a"]!, "b": cameras["b"]!])
    context.tap(["a", "b"], for: tap)
    publish(1)
    context.connect(["a": cameras["a"]!, "b": cameras["c"]!])
    publish(2)
    context.connect(["a": cameras["a"]!])
    publish(3)
    #expect(tap.frames.all == ["a 1", "b 1", "a 2", "c 2", "a 3"])
  }
}
