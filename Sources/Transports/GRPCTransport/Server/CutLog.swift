internal import Locking
internal import Logging

/// Logs which clients were cut, for the operator of the daemon. The first cut is logged at once. After that at most one
/// line is logged per minute, with the number of all cuts since the previous line. A cut that is not followed by
/// another one after that minute is never logged.
final class CutLog: Sendable {
  /// The cuts that have not been logged yet, as a value.
  struct Tally {
    /// The number of cuts for each reason.
    private(set) var cuts: [ConnectionExcess: Int] = [:]
    /// The address of the client that was cut last.
    private(set) var peer = ""
    private var silentUntil: ContinuousClock.Instant?

    /// Counts a connection that was cut.
    ///
    /// - Returns: whether a line must be logged now.
    mutating func add(_ excess: ConnectionExcess, peer: String, now: ContinuousClock.Instant) -> Bool {
      cuts[excess, default: 0] += 1
      self.peer = peer
      return silentUntil.map { now >= $0 } ?? true
    }

    /// Forgets the counted cuts, because they have been logged, and begins a minute without a line.
    mutating func clear(now: ContinuousClock.Instant) {
      cuts = [:]
      silentUntil = now + .seconds(60)
    }
  }
  private let tally = Locked(Tally())
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Counts a connection that was cut, and logs a line if one is due. The acceptor's thread calls this function and
  /// must not wait, so at most one line per minute is written here.
  func add(_ excess: ConnectionExcess, peer: String, now: ContinuousClock.Instant = .now) {
    let due = tally.withLock { tally -> Tally? in
      guard tally.add(excess, peer: peer, now: now) else { return nil }
      defer { tally.clear(now: now) }
      return tally
    }
    guard let due else { return }
    logger.warning(
      "The server cut connections that sent far more than a client needs.",
      metadata: [
        "client.address": "\(due.peer)", "excess.calls": "\(due.cuts[.calls] ?? 0)",
        "excess.bytes": "\(due.cuts[.bytes] ?? 0)",
      ])
  }
}

/// The budget that a connection exceeded so far that it was cut.
enum ConnectionExcess: String, Sendable {
  case calls, bytes
}
