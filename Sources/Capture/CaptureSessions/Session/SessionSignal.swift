internal import CaptureCore
internal import SystemClocks

/// A report of a capture thread or a reader's thread to the session. `camera` is the index of the camera's pipeline.
enum SessionSignal: Sendable {
  /// The first frame of a stream was captured. `input` is the id that the frame has of its input, and `captured` the
  /// time of the capture. `gap` is as in ``SessionEvent/streamChanged(streamID:gapNanoseconds:input:)``, and nil when
  /// no stream preceded this one.
  case firstFrame(camera: Int, input: String, captured: MonotonicInstant, streamID: UInt64, gap: UInt64?)
  /// The watch over the exposure ended with the first settled frame of the launch, or with nil when none was found.
  case settled(camera: Int, Frame?)
  /// An output handed its first frame since the start or the commit to a reader, at this time.
  case firstSend(output: String, at: MonotonicInstant)
  /// A camera does something otherwise than its driver says.
  case sourceIsOdd(camera: Int, device: String, SourceOddity)
  case sourceStalled(camera: Int, generation: UInt64, CaptureError)
  case sourceEnded(camera: Int, generation: UInt64, CaptureError)
  /// A microphone runs, cannot run, or lost sound.
  case microphone(input: String, generation: UInt64, MicrophoneRun.Report)
  /// A request to resume the continuation when every earlier signal has been handled.
  case mark(CheckedContinuation<Void, Never>)
}
