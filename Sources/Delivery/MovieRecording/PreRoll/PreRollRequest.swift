public import SystemClocks

/// The part of a recording that a client asks for from before its request.
public struct PreRollRequest: Hashable, Sendable {
  /// The longest duration of all outputs, in nanoseconds.
  public static let maximumDuration = PreRoll.maximumDuration

  /// When the daemon took the request.
  public var time: MonotonicInstant
  /// How long before ``time`` the movie should begin, in nanoseconds.
  public var duration: UInt64

  /// Creates a request.
  public init(time: MonotonicInstant, duration: UInt64) {
    self.time = time
    self.duration = duration
  }

  /// The movie has the first frame from this time on, if the output has kept it.
  var start: MonotonicInstant {
    MonotonicInstant(nanoseconds: time.nanoseconds - min(time.nanoseconds, duration))
  }
}
