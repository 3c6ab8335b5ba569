import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

/// Tests the faults that a test can inject into synthetic cameras. Each fault must look to a session like the fault of
/// a real camera.
@Suite struct SyntheticFaultsTests {
  private let provider = SyntheticDeviceProvider(count: 2)
  private let pool = FramePool(budget: 64 << 20)
  private let sink = RecordingSink()
  private let id = "synthetic-0"

  /// Starts a small stream on the first camera.
  private func start() async throws -> any FrameSource {
    try await provider.start(smallRequest, on: id, pool: pool, sink: sink)
  }

  /// Unplugging removes the camera from the list, ends its stream with `deviceDisconnected` as the last call to the
  /// sink, and reports the change. The camera then refuses to start.
  @Test func unpluggingEndsTheStreamAndReportsTheChange() async throws {
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
    #expect(sink.frames.count == frames, "no frame comes after the end")
    await #expect(throws: CaptureError.self) { try await start() }
  }

  /// A camera that was plugged in again can start a stream at once, with a later stream id, and the old stream ends
  /// only once.
  @Test func aRepluggedCameraStreamsAtOnce() async throws {
    let first = try await start()
    try provider.faults.unplug(id)
    var changes = provider.changes().makeAsyncIterator()
    try provider.faults.replug(id)
    try provider.faults.replug(id)
    #expect(await changes.next()?.kind == .connected)
    // The start may come before the thread of the old stream notices its end.
    let second = try await start()
    #expect(second.streamID > first.streamID)
    try await sink.frames.first { $0.streamID == second.streamID }
    await second.stop()
    await first.stop()
    #expect(sink.ends.count == 1)
  }

  /// Unplugging a camera that does not stream reports no end to the former sink, and requests then fail with
  /// `deviceDisconnected`.
  @Test func unpluggingAStoppedCameraEndsNoStream() async throws {
    let source = try await start()
    await source.stop()
    try provider.faults.unplug(id)
    #expect(sink.ends.count == 0)
    let refusal = await #expect(throws: CaptureError.self) { _ = try await provider.resolve(smallRequest, on: id) }
    #expect(refusal?.reason == .deviceDisconnected)
  }

  /// The sequence numbers of dropped frames are left out, and the next frame reports the frames as a discontinuity.
  @Test func droppedFramesCountAsADiscontinuity() async throws {
    try provider.faults.drop(id, frames: 3)
    let source = try await start()
    let first = try await sink.frames.wait(count: 1)[0]
    await source.stop()
    #expect(first.sequence >= 3)
    #expect(first.missing.discontinuity == first.sequence)
    #expect(first.missing.total == first.sequence)
  }

  /// A damaged frame does not reach the sink; the next frame reports it as damaged.
  @Test func damagedFramesAreNotPublished() async throws {
    let source = try await start()
    try await sink.frames.wait(count: 2)
    // The sink keeps the memory of every frame. On a busy machine, the frames from before may have used up the pool, so
    // that no later frame would come.
    sink.frames.removeAll()
    try provider.faults.corrupt(id)
    let after = try await sink.frames.first { $0.missing.damaged > 0 }
    await source.stop()
    let sequences = sink.frames.all.map(\.sequence)
    #expect(!sequences.contains(after.sequence - 1))
  }

  /// Frames that the camera publishes late keep the time stamp of their exposure, so that lateness can be measured.
  @Test func lateFramesKeepTheirTimeStamp() async throws {
    let delay: UInt64 = 50_000_000
    try provider.faults.late(id, by: .milliseconds(50))
    let watcher = ArrivalSink()
    let source = try await provider.start(smallRequest, on: id, pool: pool, sink: watcher)
    let arrivals = try await watcher.arrivals.wait(count: 5)
    await source.stop()
    for arrival in arrivals { #expect(arrival.at >= arrival.stamp + delay) }
  }

  /// During a stall no frame comes; afterwards frames come again, and a frame reports those that a driver's queue could
  /// not have kept.
  @Test func aStallSilencesTheCameraForItsDuration() async throws {
    let watcher = ArrivalSink()
    let source = try await provider.start(smallRequest, on: id, pool: pool, sink: watcher)
    try await watcher.arrivals.wait(count: 2)
    let end = MonotonicInstant.now() + 300_000_000
    try provider.faults.stall(id, for: .milliseconds(300))
    let seen = watcher.arrivals.count
    // More ticks pass during the stall than a driver queues, so the first frame afterwards follows a gap.
    let after = try await watcher.arrivals.wait { $0.contains { $0.at >= end && $0.missing.discontinuity > 0 } }
    await source.stop()
    // The camera may already have been publishing one frame when the stall began.
    #expect(after.dropFirst(seen + 1).allSatisfy { $0.at >= end })
  }

  /// A client can stop a camera that stalls for a long time, and the sink is not told of a loss.
  @Test func stopDoesNotWaitForAStall() async throws {
    let source = try await start()
    try provider.faults.stall(id, for: .seconds(1_000_000))
    await source.stop()
    #expect(sink.ends.count == 0)
  }

  /// A start with a latency takes that long, and the first frame is exposed after it and has the first sequence number.
  /// A latency of zero ends the fault.
  @Test func aSlowStartReturnsWhenTheFirstExposureBegins() async throws {
    try provider.faults.slowStart(id, by: .milliseconds(80))
    let before = MonotonicInstant.now()
    let source = try await start()
    #expect(.now() >= before + 80_000_000)
    let first = try await sink.frames.wait(count: 1)[0]
    await source.stop()
    #expect(first.sequence == first.missing.total)
    #expect(first.time.monotonic >= before + 80_000_000)
    try provider.faults.slowStart(id, by: .zero)
    let next = try await start()
    #expect(next.streamID > source.streamID)
    await next.stop()
  }

  /// A start during which the camera is unplugged fails with `deviceDisconnected`, and no frame comes.
  @Test func aCameraUnpluggedDuringASlowStartDoesNotStart() async throws {
    try provider.faults.slowStart(id, by: .milliseconds(80))
    let starting = Task { try await start() }
    try provider.faults.unplug(id)
    let refusal = await #expect(throws: CaptureError.self) { try await starting.value }
    #expect(refusal?.reason == .deviceDisconnected)
    #expect(sink.frames.count == 0)
  }

  /// The delay of preparing outputs applies to sessions with this camera alone, and to one output when the fault names
  /// one.
  @Test func slowOutputsApplyToTheirCameraAndOutput() async throws {
    #expect(await provider.initDelay(ofOutput: "photo", on: id) == .zero)
    try provider.faults.slowOutputs(id, by: .milliseconds(250))
    #expect(await provider.initDelay(ofOutput: "photo", on: id) == .milliseconds(250))
    #expect(await provider.initDelay(ofOutput: "photo", on: "synthetic-1") == .zero)
    #expect(await provider.initDelay(ofOutput: "photo", on: "synthetic-9") == .zero)
    try provider.faults.slowOutputs(id, by: .milliseconds(300), output: "other")
    #expect(await provider.initDelay(ofOutput: "other", on: id) == .milliseconds(300))
    #expect(await provider.initDelay(ofOutput: "photo", on: id) == .zero)
  }

  /// The first frames of every stream are darker than the scene, each brighter than the one before; from the given
  /// number on, frames are equally bright. The timecode board stays readable.
  @Test(arguments: [PixelFormat.nv12, .yuyv]) func everyStreamBeginsDarkAndSettles(
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

  /// The mean luma of the lower half of a picture, where the timecode board does not reach.
  private func sceneLuma(_ frame: Frame) -> Double {
    let picture = Rendered(frame)
    let luma = (picture.size.height / 2..<picture.size.height).flatMap { y in
      (0..<picture.size.width).map { x in Double(picture.luma(x, y)) }
    }
    return statistics(luma).mean
  }

  /// A fault for a device that the provider never had is refused with an error.
  @Test func unknownDevicesAreRefused() {
    let faults = provider.faults
    #expect(throws: CaptureError.self) { try faults.unplug("synthetic-9") }
    #expect(throws: CaptureError.self) { try faults.stall("synthetic-9", for: .seconds(1)) }
  }
}

/// A sink that records when each frame arrived.
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
