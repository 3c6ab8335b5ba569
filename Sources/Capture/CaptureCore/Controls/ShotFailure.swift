/// A shot that failed after the camera was touched for it.
public struct ShotFailure: Error {
  public var cause: any Error
  /// The instant from which frames are as before, CLOCK_MONOTONIC.
  public var end: UInt64

  public init(_ cause: any Error, end: UInt64) {
    self.cause = cause
    self.end = end
  }
}
