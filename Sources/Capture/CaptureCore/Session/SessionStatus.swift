/// A session's state with its cause, as outputs tell it to their readers: a frozen picture explains itself.
public struct SessionStatus: Hashable, Sendable {
  public var state: SessionState
  /// Set only while `state` is `interrupted`.
  public var interruption: InterruptionReason?
  /// Whether the camera takes a photo larger than its frames, so that none come for a moment.
  public var isTakingStill = false

  public init(_ state: SessionState, interruption: InterruptionReason? = nil) {
    self.state = state
    self.interruption = interruption
  }
}
