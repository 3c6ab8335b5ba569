internal import CaptureCore

/// What a capture thread or a reader's thread tells the session. `camera` is the place of the camera among the inputs.
enum SessionSignal: Sendable {
  /// The first frame of a stream was captured; `gap` is as in ``SessionEvent/streamChanged(streamID:gapNanoseconds:)``, and
  /// nil when no stream preceded this one.
  case firstFrame(camera: Int, captured: UInt64, streamID: UInt64, gap: UInt64?)
  /// The first frame of a launch whose exposure is stable; nil when the exposure never settled.
  case settled(camera: Int, Frame?)
  /// An output handed its first frame since the start or commit to a reader.
  case firstSend(output: String, at: UInt64)
  case sourceStalled(camera: Int, generation: UInt64, CaptureError)
  case sourceEnded(camera: Int, generation: UInt64, CaptureError)
  /// Resumes `waiter` when everything told before has been handled.
  case mark(CheckedContinuation<Void, Never>)
}
