internal import Yams

/// When a session of the configuration file starts: the keys `start` and `idle-timeout` of its entry.
enum DeclaredSessionStart: Hashable {
  /// With the daemon.
  case atBoot
  /// With its first viewer. It stops so many seconds after its last viewer has left.
  case onDemand(idleTimeout: Double)

  /// How many seconds after its last viewer has left a session stops, unless its entry says otherwise.
  static let usualIdleTimeout = 30.0
  private static let keys = (start: "start", idleTimeout: "idle-timeout")

  /// Reads the two keys, and removes them from the entry, which has only the fields of a configuration then.
  ///
  /// - Parameters:
  ///   - entry: the entry of the file.
  ///   - id: the key of the entry.
  /// - Throws: ``ConfigurationProblem`` for a value that makes no sense.
  init(takenFrom entry: inout Node.Mapping, of id: String) throws {
    let start = entry[Self.keys.start]
    let timeout = entry[Self.keys.idleTimeout]
    entry[Self.keys.start] = nil
    entry[Self.keys.idleTimeout] = nil
    switch start.map({ $0.string ?? "" }) {
    case nil, "at-boot":
      guard timeout == nil else {
        throw DeclaredSession.problem(
          id, Self.keys.idleTimeout, "means nothing without `start: on-demand`; add that, or leave it out.")
      }
      self = .atBoot
    case "on-demand":
      let seconds = timeout.map { Double.construct(from: $0.scalar ?? .init("")) } ?? Self.usualIdleTimeout
      guard let seconds, (0...86400).contains(seconds) else {
        throw DeclaredSession.problem(
          id, Self.keys.idleTimeout, "is \(text(timeout)); it must be a number of seconds from 0 to 86400.")
      }
      self = .onDemand(idleTimeout: seconds)
    case .some:
      throw DeclaredSession.problem(
        id, Self.keys.start, "is \(text(start)); it must be at-boot or on-demand.")
    }
  }

  /// How long after its last viewer has left the session stops; nil when it does not start on demand.
  var idleTimeout: Duration? {
    switch self {
    case .atBoot: nil
    case .onDemand(let seconds): .seconds(seconds)
    }
  }
}

private func text(_ node: Node?) -> String { node?.scalar.map { "\"\($0.string)\"" } ?? "no plain value" }
