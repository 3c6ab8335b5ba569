internal import CaptureCore
internal import VideoCoding

/// Where a ``SampleMaker`` puts its samples, on the thread that encodes.
protocol SampleTarget: AnyObject, Sendable {
  /// Whether the target has no room for the samples of further frames at present.
  var isFull: Bool { get }

  /// Takes a sample, with a loan when the sample is the camera's own memory.
  func put(_ sample: MovieSample, of track: MovieTrack, _ loan: FrameLoan?)

  /// Learns that no sample follows. The error is that of the encoder.
  func end(_ error: CaptureError?)
}
