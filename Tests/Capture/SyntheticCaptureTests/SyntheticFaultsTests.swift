import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

@Suite struct SyntheticFaultsTests {
  private let provider = SyntheticDeviceProvider(count: 2)
  private let pool = FramePool(budget: 64 << 20)
  private let sink = RecordingSink()
  private let id = "synthetic-0"

  private func start() async throws -> any FrameSource {
    try await provider.start(smallRequest, on: id, pool: pool, sink: sink)
  }

  @Test func unpluggingEndsTheStreamAndTellsIt() async throws {
    var changes = provider.changes().makeAsyncIterator()
    let source = try await start()
    try await sink.frames.wait(count: 2)
    try provider.faults.unplug(id)
    #expect(await provider.devices().map(\.id) == ["synthetic-1"])
    #expect(try await sink.ends.wait(count: 1).map(\.reason) == [.deviceDisconnected])
    let change = await changes.next()
    #expect(change?.kind == .disconnected)
    #expect(change?.device.id == id)
    let frames = sink.frames.count
    await source.stop()
    try provider.faults.unplug(id)
    #expect(sink.ends.count == 1)
    #expect(sink.frames.count == frames, "the end was the last call")
    await #expect(throws: CaptureError.self) { try await start() }
  }

  @Test func aPluggedInDeviceStreamsAgain() async throws {
    let first = try await start()
    try provider.faults.unplug(id)
    var changes = provider.changes().makeAsyncIterator()
    try provider.faults.replug(id)
    try provider.faults.replug(id)
    #expect(await changes.next()?.kind == .connected)
    // At once, even before the old thread noticed that it is over.
    let second = try await start()
    #expect(second.streamID > first.streamID)
    try await sink.frames.first { $0.streamID == second.streamID }
    await second.stop()
    await first.stop()
    #expect(sink.ends.count == 1)
  }

  @Test func unpluggingBetweenStreamsOnlyTellsTheChange() async throws {
    let source = try await start()
    await source.stop()
    try provider.faults.unplug(id)
    #expect(sink.ends.count == 0)
    let refusal = await #expect(throws: CaptureError.self) { _ = try await provider.resolve(smallRequest, on: id) }
    #expect(refusal?.reason == .deviceDisconnected)
  }

  @Test func droppedFramesLeaveAGap() async throws {
    try provider.faults.drop(id, frames: 3)
    let source = try await start()
    let first = try await sink.frames.wait(count: 1)[0]
    await source.stop()
    #expect(first.sequence >= 3)
    #expect(first.missing.discontinuity == first.sequence)
    #expect(first.missing.total == first.sequence)
  }

  @Test func damagedFramesAreNotPublished() async throws {
    let source = try await start()
    try await sink.frames.wait(count: 2)
    // The sink keeps every frame: on a busy machine those from before may have used up the pool.
    sink.frames.removeAll()
    try provider.faults.corrupt(id)
    let after = try await sink.frames.first { $0.missing.damaged > 0 }
    await source.stop()
    let sequences = sink.frames.all.map(\.sequence)
    #expect(!sequences.contains(after.sequence - 1))
  }

  @Test func lateFramesKeepTheirStamp() async throws {
    let delay: UInt64 = 50_000_000
    try provider.faults.late(id, by: .milliseconds(50))
    let watcher = ArrivalSink()
    let source = try await provider.start(smallRequest, on: id, pool: pool, sink: watcher)
    let arrivals = try await watcher.arrivals.wait(count: 5)
    await source.stop()
    for arrival in arrivals { #expect(arrival.at >= arrival.stamp + delay) }
  }

  @Test func aStallSilencesTheCameraAndEndsByItself() async throws {
    let watcher = ArrivalSink()
    let source = try await provider.start(smallRequest, on: id, pool: pool, sink: watcher)
    try await watcher.arrivals.wait(count: 2)
    let end = MonotonicInstant.now() + 300_000_000
    try provider.faults.stall(id, for: .milliseconds(300))
    let seen = watcher.arrivals.count
    let after = try await watcher.arrivals.wait { $0.contains { $0.at >= end } }
    await source.stop()
    // One frame may have been on its way when the stall began.
    #expect(after.dropFirst(seen + 1).allSatisfy { $0.at >= end })
    #expect(after.contains { $0.missing.discontinuity > 0 }, "more ticks passed than a driver queues")
  }

  @Test func stopDoesNotWaitForAStall() async throws {
    let source = try await start()
    try provider.faults.stall(id, for: .seconds(1_000_000))
    await source.stop()
    #expect(sink.ends.count == 0)
  }

  @Test func aSlowStartReturnsWithTheFirstExposure() async throws {
    try provider.faults.slowStart(id, by: .milliseconds(80))
    let before = MonotonicInstant.now()
    let source = try await start()
    #expect(.now() >= before + 80_000_000)
    let first = try await sink.frames.wait(count: 1)[0]
    await source.stop()
    #expect(first.sequence == first.missing.total)
    #expect(first.time.monotonic >= before + 80_000_000)
    try provider.faults.slowStart(id, by: .zero)
    #expect(try await start().streamID > source.streamID)
  }

  @Test func aCameraPulledOutDuringASlowStartDoesNotStart() async throws {
    try provider.faults.slowStart(id, by: .milliseconds(80))
    let starting = Task { try await start() }
    try provider.faults.unplug(id)
    let refusal = await #expect(throws: CaptureError.self) { try await starting.value }
    #expect(refusal?.reason == .deviceDisconnected)
    #expect(sink.frames.count == 0)
  }

  @Test func slowOutputsAreDeclaredForTheirCamera() async throws {
    #expect(await provider.initDelay(ofOutput: "photo", on: id) == .zero)
    try provider.faults.slowOutputs(id, by: .milliseconds(250))
    #expect(await provider.initDelay(ofOutput: "photo", on: id) == .milliseconds(250))
    #expect(await provider.initDelay(ofOutput: "photo", on: "synthetic-1") == .zero)
    #expect(await provider.initDelay(ofOutput: "photo", on: "synthetic-9") == .zero)
    try provider.faults.slowOutputs(id, by: .milliseconds(300), output: "other")
    #expect(await provider.initDelay(ofOutput: "other", on: id) == .milliseconds(300))
    #expect(await provider.initDelay(ofOutput: "photo", on: id) == .zero)
  }

  @Test(arguments: [PixelFormat.nv12, .yuyv]) func everyStreamBecomesBrighterUntilItSettles(
    format: PixelFormat
  ) async throws {
    try provider.faults.settle(id, over: 5)
    var request = smallRequest
    request.pixelFormat = format
    for _ in 1...2 {
      sink.frames.removeAll()
      let source = try await provider.start(request, on: id, pool: pool, sink: sink)
      let frames = try await sink.frames.wait { $0.contains { $0.sequence >= 7 } }
      await source.stop()
      let settled = try #require(frames.first { $0.sequence >= 5 })
      var former = 0.0
      for frame in frames where frame.sequence < 5 {
        #expect(Timecode(frame)?.sequence == frame.sequence, "the board stays readable")
        let mean = sceneLuma(frame)
        #expect(mean > former + 1)
        former = mean
      }
      #expect(sceneLuma(settled) > former + 1)
      for frame in frames where frame.sequence > 5 { #expect(abs(sceneLuma(frame) - sceneLuma(settled)) < 2) }
    }
  }

  private func sceneLuma(_ frame: Frame) -> Double {
    let picture = Rendered(frame)
    let luma = (picture.size.height / 2..<picture.size.height).flatMap { y in
      (0..<picture.size.width).map { x in Double(picture.luma(x, y)) }
    }
    return statistics(luma).mean
  }

  @Test func unknownDevicesAreRefused() {
    let faults = provider.faults
    #expect(throws: CaptureError.self) { try faults.unplug("synthetic-9") }
    #expect(throws: CaptureError.self) { try faults.stall("synthetic-9", for: .seconds(1)) }
  }
}

/// Notes when each frame arrived.
private final class ArrivalSink: FrameSink {
  struct Arrival: Sendable {
    var at: MonotonicInstant
    var stamp: MonotonicInstant
    var missing: DropCounts
  }
  let arrivals = Recorder<Arrival>()

  func receive(_ frame: Frame) {
    arrivals.append(Arrival(at: .now(), stamp: frame.time.monotonic, missing: frame.missing))
  }

  func sourceDidEnd(_ error: CaptureError) {}
}
