/// Where a capture session is in its life.
public enum SessionState: Hashable, Sendable {
  case stopped, starting, running, stopping
  /// Wants to run and will, by itself, when the cause is gone.
  case interrupted
}
