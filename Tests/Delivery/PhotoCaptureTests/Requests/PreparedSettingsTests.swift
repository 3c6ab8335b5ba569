import CaptureCore
import CaptureTestKit
import Synchronization
import Testing

@testable import PhotoCapture

/// Preparing an output for captures: which settings, how often, and on which frame. The time limit is for a test whose
/// awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct PreparedSettingsTests {
  static let layout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))!

  static func waiter() -> PreparedSettings.Waiter { AsyncThrowingStream.makeStream(of: Bool.self).continuation }

  @Test("H11: one thread prepares at a time, and the newest call counts") func onlyOneThreadPrepares() {
    var prepared = PreparedSettings()
    prepared.frameArrived(Self.layout)
    _ = prepared.set([PhotoStage.request()], waiter: Self.waiter())
    let first = prepared.beginWarmUp()!
    for count in 2...9 {
      _ = prepared.set(Array(repeating: PhotoStage.request(), count: count), waiter: Self.waiter())
      #expect(prepared.beginWarmUp() == nil, "the first preparation is still running")
    }
    #expect(
      prepared.warmUpEnded(first) == nil,
      "the caller of the first preparation was told earlier that another call took its place")
    let second = prepared.beginWarmUp()!
    #expect(second.count == 9, "the second preparation is for the newest call")
    #expect(prepared.warmUpEnded(second) != nil)
    #expect(prepared.beginWarmUp() == nil, "everything is prepared")
  }

  @Test("H11: frames of another size are prepared for again") func framesOfAnotherSizeArePreparedFor() throws {
    var prepared = PreparedSettings()
    prepared.frameArrived(Self.layout)
    _ = prepared.set([PhotoStage.request()], waiter: Self.waiter())
    let first = prepared.beginWarmUp()!
    let larger = try #require(FrameLayout.packed(.nv12, Size(width: 128, height: 72)))
    prepared.frameArrived(larger)
    #expect(prepared.warmUpEnded(first) != nil)
    #expect(prepared.beginWarmUp()?.layout == larger)
  }

  @Test("H11: settings that are encoded alike are prepared once") func eachKindIsPreparedOnce() {
    var prepared = PreparedSettings()
    prepared.frameArrived(Self.layout)
    var (slow, small, png) = (
      PhotoStage.request("a", quality: .quality), PhotoStage.request("b"), PhotoStage.request("c")
    )
    slow.mayOverlap = false
    small.file.embeddedThumbnail = Size(width: 64, height: 64)
    png.file.encoding = .png
    _ = prepared.set([slow, PhotoStage.request("d"), small, png], waiter: Self.waiter())
    let warmUp = prepared.beginWarmUp()!
    #expect(warmUp.kinds.map(\.file.encoding) == [.jpeg, .jpeg, .png])
    #expect(warmUp.kinds.map(\.file.embeddedThumbnail) == [nil, small.file.embeddedThumbnail, nil])
    #expect(warmUp.count == 4)
    #expect(prepared.isCurrent(warmUp))
    _ = prepared.set([], waiter: Self.waiter())
    #expect(!prepared.isCurrent(warmUp))
  }

  @Test("H11: each encoder makes a photo of each kind beforehand, and captures use it", arguments: [false, true])
  func eachEncoderIsPrepared(responsive: Bool) async throws {
    let stage = try await PhotoStage(responsive: responsive)
    let pool = FramePool(budget: 64 << 20)
    stage.capture(1, pool: pool)
    var png = PhotoStage.request()
    png.file.encoding = .png
    #expect(try await stage.output.prepare(for: [PhotoStage.request(), png]))
    let encoders = responsive ? 3 : 1
    #expect(stage.encoder.begun.count == encoders * 3, "JPEG twice, PNG once")
    #expect(stage.encoder.made.load(ordering: .relaxed) == encoders)
    let allocated = stage.store.pool.usage.allocated
    _ = try await stage.output.capture(PhotoStage.request("a", arrival: 1)).photo()
    #expect(stage.encoder.made.load(ordering: .relaxed) == encoders)
    #expect(stage.store.pool.usage.allocated == allocated, "the photo uses memory that was prepared")
    #expect(stage.store.all().count == 1, "photos of the preparation are not kept as captures")
  }

  @Test("H11: an output is prepared only when an intact frame was encoded") func aDamagedFrameDoesNotPrepare()
    async throws
  {
    let stage = try await PhotoStage()
    stage.encoder.damage(2)
    for sequence in UInt64(1)...2 { stage.capture(sequence) }
    let preparation = Task { try await stage.output.prepare(for: [PhotoStage.request()]) }
    try await stage.encoder.begun.wait(count: 1)
    while stage.output.queue.read({ $0.prepared.isWaiting && !$0.prepared.lacksFrame }) { await Task.yield() }
    let isWaiting = stage.output.queue.read(\.prepared.isWaiting)
    #expect(isWaiting, "the damaged frame 2 has prepared nothing")
    stage.capture(3)
    #expect(try await preparation.value)
    #expect(stage.encoder.begun.all == [2, 3, 3])
  }

  @Test("H11: a frame that is known to be damaged is not used") func theNewestIntactFrameIsUsed() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    stage.capture(2).buffer.markDamaged()
    #expect(try await stage.output.prepare(for: [PhotoStage.request()]))
    #expect(stage.encoder.begun.all == [1, 1])
  }

  @Test("H11: while all frames are damaged, the preparation waits") func damagedFramesAreNotEnough() async throws {
    let stage = try await PhotoStage()
    stage.capture(1).buffer.markDamaged()
    let preparation = Task { try await stage.output.prepare(for: [PhotoStage.request()]) }
    while stage.output.queue.read({ $0.prepared.isEmpty || $0.prepared.isWaiting && !$0.prepared.lacksFrame }) {
      await Task.yield()
    }
    let isWaiting = stage.output.queue.read(\.prepared.isWaiting)
    #expect(isWaiting)
    stage.capture(2)
    #expect(try await preparation.value)
    #expect(stage.encoder.begun.all == [2, 2])
  }

  @Test("H11: without a thread nothing is prepared, and no other thread does the work") func noThread() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    stage.hasThreads.value.store(false, ordering: .relaxed)
    let error = await #expect(throws: CaptureError.self) {
      _ = try await stage.output.prepare(for: [PhotoStage.request()])
    }
    #expect(error?.reason == .processingFailed)
    #expect(stage.encoder.begun.count == 0)
    stage.hasThreads.value.store(true, ordering: .relaxed)
    #expect(try await stage.output.prepare(for: [PhotoStage.request()]), "the next call prepares the output")
  }
}
