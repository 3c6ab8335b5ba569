public import SystemClocks

/// When the phases of the work on a photo began and ended.
public struct PhotoPhases: Hashable, Sendable {
  /// The time from the request's arrival until the output held the photo's frame, in nanoseconds.
  public var holdNanoseconds: UInt64
  /// When the capture's turn came.
  public var captureBegin: MonotonicInstant
  /// When the output held all frames of the photo.
  public var captureEnd: MonotonicInstant
  /// When a photo thread began to make the picture from the frames of the photo.
  public var processBegin: MonotonicInstant
  /// When the picture was made.
  public var processEnd: MonotonicInstant
  /// When the photo thread began to encode the picture.
  public var encodeBegin: MonotonicInstant
  /// When the file of the photo was finished.
  public var encodeEnd: MonotonicInstant
}
