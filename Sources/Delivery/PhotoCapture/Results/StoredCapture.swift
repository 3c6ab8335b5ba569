public import CaptureCore
public import SystemClocks

/// A capture as the store keeps it.
public struct StoredCapture: Sendable {
  /// Where the capture is.
  public enum State: Sendable {
    /// Waiting, capturing or processing.
    case inProgress
    /// One photo, or those of the bracket in order.
    case finished([Photo])
    case failed(CaptureError)
  }

  public var uniqueID: String
  /// The session that took it, which may be gone.
  public var sessionID: String
  /// Grows with each capture of the daemon, in the order they were asked for.
  public var number: UInt64
  /// When its request arrived.
  public var requestTime: WallInstant
  public var state: State
}
