import CaptureCore
import CaptureTestKit

/// A sink that records what a source reports: frames, damaged pictures, stalls and the end.
final class StallSink: FrameSink {
  let frames = Recorder<UInt64>()
  let damaged = Recorder<Void>()
  let stalls = Recorder<CaptureError>()
  let ends = Recorder<CaptureError>()

  func receive(_ frame: Frame) { frames.append(frame.sequence) }
  func pictureWasDamaged() { damaged.append(()) }
  func sourceDidStall(_ error: CaptureError) { stalls.append(error) }
  func sourceDidEnd(_ error: CaptureError) { ends.append(error) }
}
