/// The receivers of the C server's events: the queue gets new calls, and the log gets connections that were cut.
final class ServerEvents: Sendable {
  let calls: CallQueue
  let cuts: CutLog

  init(calls: CallQueue, cuts: CutLog) {
    self.calls = calls
    self.cuts = cuts
  }
}
