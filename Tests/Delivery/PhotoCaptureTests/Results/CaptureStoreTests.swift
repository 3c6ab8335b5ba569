import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import Testing

@testable import PhotoCapture

/// The memory of the store: when it goes back to the system, and how much of it readers may hold.
@Suite struct CaptureStoreTests {
  let clock = SharedClock()

  func store(bytes: Int = 1 << 20) -> CaptureStore {
    CaptureStore(
      limits: StoredCaptures.Limits(retentionNanoseconds: 60, bytes: bytes),
      now: { [clock] in clock.now })
  }

  /// The memory of a photo stays allocated while the photo is kept. Afterwards it goes back to the system, unless a
  /// hold keeps memory ready.
  @Test func memoryGoesBackUnlessItIsHeld() throws {
    let store = store()
    var hold: MemoryHold? = store.holdMemory()
    for round in UInt64(0)...1 {
      clock.value.store(100 * round, ordering: .relaxed)
      try store.begin("\(round)", of: "s", at: 0)
      store.finish("\(round)", .success([.fake(bytes: 8192, in: store.pool)]))
      clock.value.store(100 * round + 59, ordering: .relaxed)
      store.removeExpired()
      #expect(store.pool.usage.allocated == 8192, "the photo is kept for 60 ns")
      clock.value.store(100 * round + 60, ordering: .relaxed)
      store.removeExpired()
      #expect(throws: CaptureError.self) { try store.photo("\(round)") }
      #expect(store.pool.usage.allocated == (hold == nil ? 0 : 8192))
      hold = nil
    }
  }

  /// Slow readers may hold as much memory as the pool has besides the kept photos. Beyond that, a reader gets the photo
  /// without its bytes.
  @Test func readersHoldNoMoreThanNewPhotosCanDoWithout() {
    let pool = FramePool(budget: 3 * 4096, kept: 4096)
    let photos = (0..<3).map { _ in Photo.fake(bytes: 4096, in: pool) }
    var lent = photos.map(\.lent)
    #expect(lent.map(\.hasData) == [true, true, false])
    #expect(lent[2].byteCount == 4096 && lent[2].picture.buffer.count == 0)
    lent.removeFirst()
    #expect(photos[2].lent.hasData, "a reader has released its photo")
  }
}
