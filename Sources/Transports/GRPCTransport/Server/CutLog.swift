internal import Logging
internal import Synchronization

/// Why a connection was cut.
enum ConnectionExcess: String, Sendable {
  case calls, bytes
}

/// Tells operators which clients were cut. The first cut is logged at once. After that the log gets at most one line a
/// minute, with all cuts since the line before.
final class CutLog: Sendable {
  /// What the next line has to tell, as a value.
  struct Tally {
    private(set) var cuts: [ConnectionExcess: Int] = [:]
    private(set) var peer = ""
    private var silentUntil: ContinuousClock.Instant?

    /// A connection was cut.
    ///
    /// - Returns: whether a line is due.
    mutating func add(_ excess: ConnectionExcess, peer: String, now: ContinuousClock.Instant) -> Bool {
      cuts[excess, default: 0] += 1
      self.peer = peer
      return silentUntil.map { now >= $0 } ?? true
    }

    /// The line was written.
    mutating func clear(now: ContinuousClock.Instant) {
      cuts = [:]
      silentUntil = now + .seconds(60)
    }
  }
  private let tally = Mutex(Tally())
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// On a thread that must not wait: a line a minute is written here, which is as much as it may cost.
  func add(_ excess: ConnectionExcess, peer: String, now: ContinuousClock.Instant = .now) {
    let due = tally.withLock { tally -> Tally? in
      guard tally.add(excess, peer: peer, now: now) else { return nil }
      defer { tally.clear(now: now) }
      return tally
    }
    guard let due else { return }
    logger.warning(
      "cut connections that sent far more than a client needs",
      metadata: [
        "client.address": "\(due.peer)", "excess.calls": "\(due.cuts[.calls] ?? 0)",
        "excess.bytes": "\(due.cuts[.bytes] ?? 0)",
      ])
  }
}
