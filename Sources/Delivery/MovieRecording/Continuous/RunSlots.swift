internal import Locking

/// Bounds the runs of a session whose files are not complete. While a disk hangs, no more of them begin, also when a
/// new configuration of the session brings another output. Thread-safe.
final class RunSlots: Sendable {
  /// The most runs at a time.
  static let count = 2

  private let taken = Locked(0)

  /// Takes a slot for a run. Returns false when there is none.
  func take() -> Bool {
    taken.withLock { taken in
      guard taken < Self.count else { return false }
      taken += 1
      return true
    }
  }

  /// Gives back the slot of a run whose files are complete.
  func giveBack() { taken.withLock { $0 -= 1 } }
}
