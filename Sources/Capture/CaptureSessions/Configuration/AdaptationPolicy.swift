/// Who takes load off the machine under pressure.
public enum AdaptationPolicy: Hashable, Sendable {
  /// The client: pressure is only told.
  case client
  /// The session, step by step.
  case server
}
