/// The failure of a shot after some of the camera's settings were changed for it.
public struct ShotFailure: Error {
  /// The error that ended the shot.
  public var cause: any Error
  /// The instant from which on frames have the camera's former settings again, in nanoseconds of CLOCK_MONOTONIC.
  public var end: UInt64

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - cause: the error that ended the shot.
  ///   - end: the instant from which on frames have the camera's former settings again, in nanoseconds of
  ///     CLOCK_MONOTONIC.
  public init(_ cause: any Error, end: UInt64) {
    self.cause = cause
    self.end = end
  }
}
