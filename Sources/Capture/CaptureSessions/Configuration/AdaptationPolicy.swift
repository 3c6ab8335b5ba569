/// Which side takes load off the machine under system pressure.
public enum AdaptationPolicy: Hashable, Sendable {
  /// The client does. The session only reports pressure.
  case client
  /// The session does, one step of the ladder at a time.
  case server
}
