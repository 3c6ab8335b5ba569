/// The size of a method's requests. Each transport has a limit in bytes for small requests and another one for large
/// requests.
public enum RequestSize: Sendable {
  /// The method's requests contain no pictures and have some kilobytes at most.
  case small
  /// The method's requests contain pictures.
  case large
}
