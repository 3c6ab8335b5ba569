/// A session's state and its cause. Outputs pass it on to their readers, so that a viewer of a frozen picture learns
/// the reason.
public struct SessionStatus: Hashable, Sendable {
  /// The stage in the session's life.
  public var state: SessionState
  /// Why the session is interrupted; nil unless `state` is `interrupted`.
  public var interruption: InterruptionReason?
  /// Whether the camera takes a photo that is larger than its frames (a still), so that for a moment no frames come.
  public var isTakingStill = false
  /// Whether the camera is one of several and opens with deferred start, which has not run.
  public var awaitsDeferredStart = false

  /// Creates the status of a session that takes no still.
  ///
  /// - Parameter interruption: nil unless `state` is `interrupted`.
  public init(_ state: SessionState, interruption: InterruptionReason? = nil) {
    self.state = state
    self.interruption = interruption
  }
}
