/// The stages in the life of a session.
public enum SessionState: Hashable, Sendable {
  case stopped, starting, running, stopping
  /// The session wants to run and cannot; it resumes by itself when the cause is gone.
  case interrupted
}
