internal import SystemClocks

/// How long nobody has used a writer, as a value.
struct WriterIdleness: Sendable {
  private var uses = 0
  private var lastUse: MonotonicInstant

  init(now: MonotonicInstant) { lastUse = now }

  /// Notes that a call named the writer.
  mutating func touch(now: MonotonicInstant) { lastUse = now }

  /// Notes that something uses the writer until ``endUse(now:)``.
  mutating func beginUse() { uses += 1 }

  /// Notes the end of a use.
  mutating func endUse(now: MonotonicInstant) {
    uses -= 1
    lastUse = now
  }

  /// The nanoseconds until the writer has been idle for `timeout`; 0 when it has been, and `timeout` while it is used.
  func remaining(of timeout: UInt64, now: MonotonicInstant) -> UInt64 {
    uses > 0 ? timeout : timeout - min(timeout, now.nanoseconds(since: lastUse))
  }
}
