/// How large the requests of a method may be. Each transport has a limit in bytes for either size.
public enum RequestSize: Sendable {
  /// For requests that only ask: some kilobytes.
  case small
  /// For requests that carry pictures.
  case large
}
