import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import Testing

@testable import PhotoCapture

@Suite struct CaptureStoreTests {
  let clock = SharedClock()

  func store(bytes: Int = 1 << 20) -> CaptureStore {
    CaptureStore(
      limits: CaptureLedger.Limits(retentionNanoseconds: 60, bytes: bytes),
      now: { [clock] in clock.now })
  }

  @Test func memoryGoesBackWithThePhotosUnlessItIsHeld() throws {
    let store = store()
    var hold: MemoryHold? = store.holdMemory()
    for round in UInt64(0)...1 {
      clock.value.store(100 * round, ordering: .relaxed)
      try store.begin("\(round)", of: "s", at: 0)
      store.finish("\(round)", .success([.fake(bytes: 8192, in: store.pool)]))
      clock.value.store(100 * round + 59, ordering: .relaxed)
      store.removeExpired()
      #expect(store.pool.usage.allocated == 8192, "it is kept")
      clock.value.store(100 * round + 60, ordering: .relaxed)
      store.removeExpired()
      #expect(throws: CaptureError.self) { try store.photo("\(round)") }
      #expect(store.pool.usage.allocated == (hold == nil ? 0 : 8192))
      hold = nil
    }
  }

  /// Readers who take long may hold as much as is beyond what is kept; then a photo goes without its bytes.
  @Test func readersHoldNoMoreThanNewPhotosCanDoWithout() {
    let pool = FramePool(budget: 3 * 4096, kept: 4096)
    let photos = (0..<3).map { _ in Photo.fake(bytes: 4096, in: pool) }
    var lent = photos.map(\.lent)
    #expect(lent.map(\.hasData) == [true, true, false])
    #expect(lent[2].byteCount == 4096 && lent[2].picture.buffer.count == 0)
    lent.removeFirst()
    #expect(photos[2].lent.hasData, "one let go")
  }
}
