public import SystemClocks

/// The failure of a shot after some of the camera's settings were changed for it.
public struct ShotFailure: Error {
  /// The error that ended the shot.
  public var cause: any Error
  /// The instant from which on frames have the camera's former settings again.
  public var end: MonotonicInstant

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - cause: the error that ended the shot.
  ///   - end: the instant from which on frames have the camera's former settings again.
  public init(_ cause: any Error, end: MonotonicInstant) {
    self.cause = cause
    self.end = end
  }
}
