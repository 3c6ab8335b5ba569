/// Who hears what the C server tells of itself.
final class ServerEvents: Sendable {
  let calls: CallQueue
  let cuts: CutLog

  init(calls: CallQueue, cuts: CutLog) {
    self.calls = calls
    self.cuts = cuts
  }
}
