/// The wish to keep free memory ready for photos to come. See ``CaptureStore/holdMemory()``.
final class MemoryHold: Sendable {
  private let store: CaptureStore

  /// Begins the hold, which ends with the last reference to this object.
  init(_ store: CaptureStore) {
    self.store = store
    store.changeHolds(by: 1)
  }

  deinit { store.changeHolds(by: -1) }
}
