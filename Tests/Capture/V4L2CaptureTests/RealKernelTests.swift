import CaptureCore
import Foundation
import Logging
import SystemClocks
import Testing

@testable import V4L2Capture

/// Runs the module on Linux's own test driver `vivid`, with two cameras: `vivid-000`, which is single-planar, and
/// `vivid-001`, which is multi-planar. The tests need root, the environment variable FIRSTLIGHT_REAL_KERNEL, and that
/// no other program uses the cameras.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProcessInfo.processInfo.environment["FIRSTLIGHT_REAL_KERNEL"] != nil, "needs vivid"))
struct RealKernelTests {
  private let provider = V4L2DeviceProvider(logger: Logger(label: "real kernel"))
  private let pool = FramePool(budget: 64 << 20)
  private let size = Size(width: 640, height: 360)
  private var request: StreamRequest {
    StreamRequest(pixelFormat: .yuyv, size: size, frameRate: Rational(30, 1))
  }

  private func start(
    _ id: String, _ sink: any FrameSink, request: StreamRequest? = nil, pool: FramePool? = nil
  ) async throws -> any FrameSource {
    try await provider.start(request ?? self.request, on: id, pool: pool ?? self.pool, sink: sink)
  }

  private func startError(_ id: String, request: StreamRequest? = nil) async -> CaptureError? {
    await #expect(throws: CaptureError.self) {
      await (try start(id, CollectingSink(), request: request)).stop()
    }
  }

  private func frames(_ count: Int, from sink: CollectingSink) async -> [Frame] {
    var frames: [Frame] = []
    while frames.count < count, let frame = await sink.nextFrame() { frames.append(frame) }
    // A stream that ended early would leave too few frames for the checks of the test.
    #expect(frames.count == count)
    return frames
  }

  /// Sets a control of vivid.
  private func set(_ control: String, _ value: Int = 1, on id: String) throws {
    try tool(["-c", "\(control)=\(value)"], on: id)
  }

  /// Runs v4l2-ctl on a camera's node, as another program would.
  private func tool(_ arguments: [String], on id: String) throws {
    let folder = "/sys/class/video4linux"
    let node = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder).first {
        (try? String(contentsOfFile: "\(folder)/\($0)/name", encoding: .utf8))?.hasPrefix(id) == true
      })
    let tool = Process()
    tool.executableURL = URL(fileURLWithPath: "/usr/bin/v4l2-ctl")
    tool.arguments = ["-d", "/dev/" + node] + arguments
    try tool.run()
    tool.waitUntilExit()
    try #require(tool.terminationStatus == 0)
  }

  /// Binds the driver to the device or unbinds it. `verb` is the name of the file in sysfs: `bind` or `unbind`.
  private func driver(_ verb: String) throws {
    try "vivid.0".write(toFile: "/sys/bus/platform/drivers/vivid/\(verb)", atomically: false, encoding: .utf8)
  }

  /// Expects that each frame counts all numbers that are missing before it, and that times grow.
  private func expectGapless(_ frames: [Frame]) {
    for (before, after) in zip(frames, frames.dropFirst()) {
      #expect(after.sequence - before.sequence == 1 + after.missing.total)
      #expect(after.time.monotonic > before.time.monotonic)
    }
  }

  // MARK: - Devices

  /// The list has the formats that the daemon can deliver or convert, and no others.
  @Test func bothCamerasAreListed() async throws {
    let devices = await provider.devices()
    #expect(devices.map(\.id) == ["vivid-000", "vivid-001"])
    for device in devices {
      #expect(device.driver == "vivid")
      let formats = Set(device.formats.map(\.pixelFormat.fourCC))
      #expect(formats.isSuperset(of: ["YUYV", "NV12", "YU12", "GREY", "RGB3", "RGBP", "BA81"]))
      #expect(formats.isDisjoint(with: ["NV24", "RGB1"]))
      let vga = try #require(device.formats.first { $0.pixelFormat == .yuyv && $0.supports(size) })
      guard case .discrete(let durations) = vga.frameDurations else {
        Issue.record("vivid gave no list of intervals")
        continue
      }
      #expect(durations.contains { $0.reciprocal.value == 30 })
    }
    #expect(devices[1].formats.contains { $0.pixelFormat.fourCC == "NM12" && $0.convertedTo == .nv12 })
  }

  /// The error names the nearest size that the driver offers, both when resolving and when starting.
  @Test func aSizeThatDoesNotExistIsRefusedWithTheNearest() async {
    let odd = StreamRequest(pixelFormat: .yuyv, size: Size(width: 650, height: 361), frameRate: Rational(30, 1))
    for error in [
      await #expect(throws: CaptureError.self) { _ = try await provider.resolve(odd, on: "vivid-000") },
      await startError("vivid-000", request: odd),
    ] {
      #expect(error?.reason == .formatNotSupported)
      #expect(error?.metadata["offered_size"] == "640x360")
    }
  }

  /// The scaler behind an HDMI input gives ranges of sizes. The daemon streams the signal of that input and does not
  /// switch to another input.
  @Test func anHDMIInputHasRangesOfSizesAndIsNotSwitched() async throws {
    #expect(await provider.devices().count == 2)
    var changes = provider.changes().makeAsyncIterator()
    try tool(["-i", "3"], on: "vivid-000")
    let device = try #require(await provider.devices().first)
    let change = await changes.next()
    #expect(change?.kind == .changed)
    let format = try #require(device.formats.first { $0.pixelFormat == .yuyv })
    guard case .range(let range) = format.frameSize else {
      Issue.record("the scaler gave no range of sizes")
      return
    }
    #expect(range.contains(Size(width: 1280, height: 720)))
    let sink = CollectingSink()
    let hd = StreamRequest(pixelFormat: .yuyv, size: Size(width: 1280, height: 720), frameRate: Rational(30, 1))
    let source = try await start("vivid-000", sink, request: hd)
    // The rate is that of the signal, which VIDIOC_S_PARM cannot change.
    #expect(source.format.frameRate.value > 30)
    let frames = await frames(5, from: sink)
    await source.stop()
    try tool(["-i", "0"], on: "vivid-000")
    expectGapless(frames)
    #expect(frames.allSatisfy { $0.buffer.count == 1280 * 720 * 2 })
  }

  // MARK: - Frames

  /// Twenty frames of each camera are complete, numbered without unexplained gaps, and marked with the end of the frame
  /// as their time.
  @Test(arguments: ["vivid-000", "vivid-001"])
  func framesAreWholeAndInOrder(_ id: String) async throws {
    let sink = CollectingSink()
    let resolved = try await provider.resolve(request, on: id)
    let source = try await start(id, sink)
    #expect(source.format == resolved)
    #expect(source.format.frameRate.value == 30)
    let frames = await frames(20, from: sink)
    await source.stop()
    #expect(frames.count == 20)
    expectGapless(frames)
    for frame in frames {
      #expect(frame.buffer.count == 640 * 360 * 2)
      #expect(frame.time.source == .endOfFrame)
      #expect(frame.streamID == source.streamID)
    }
    // The picture shows 75 % colour bars, and the first bar is grey.
    #expect(frames[0].bytes[640 * 2 * 300 + 1] == 128)
  }

  /// Whether frames are copied, joined from several buffers or converted, they show the colour bars of the driver.
  @Test(arguments: [
    ("vivid-000", "NV12"), ("vivid-000", "422P"), ("vivid-000", "GREY"), ("vivid-000", "XR24"),
    ("vivid-001", "YU12"), ("vivid-001", "NM12"), ("vivid-001", "NM21"), ("vivid-001", "YM12"), ("vivid-001", "YM16"),
    ("vivid-000", "RGBP"), ("vivid-000", "YVYU"), ("vivid-001", "NV16"), ("vivid-001", "BA81"),
  ])
  func everyKindOfFormatShowsTheSamePicture(_ id: String, _ fourCC: String) async throws {
    let sink = CollectingSink()
    let format = try #require(PixelFormat(fourCC: fourCC))
    let source = try await start(
      id, sink, request: StreamRequest(pixelFormat: format, size: size, frameRate: Rational(30, 1)))
    let frame = try #require(await sink.nextFrame())
    await source.stop()
    let layout = source.format.layout
    #expect(frame.buffer.count == layout.byteCount)
    // The lowest line crosses the eight bars from grey to black, so brightness falls from 180 to 16 in limited-range
    // luma.
    let (line, first) = (layout.planes[0], layout.planes[0].offset + layout.planes[0].stride * 350)
    #expect(line.rows == 360)
    let bytesPerPixel = line.stride / 640
    let (left, right) = (frame.bytes[first + 40 * bytesPerPixel], frame.bytes[first + 600 * bytesPerPixel])
    #expect((175...195).contains(left))
    #expect(right <= 20)
  }

  /// The daemon sets the rate that the client asks for, also when the driver had another rate before.
  @Test func theRequestedRateIsSet() async throws {
    let sink = CollectingSink()
    let source = try await start(
      "vivid-000", sink,
      request: StreamRequest(pixelFormat: .yuyv, size: Size(width: 320, height: 180), frameRate: Rational(50, 1)))
    #expect(source.format.frameRate.value == 50)
    let frames = await frames(10, from: sink)
    await source.stop()
    let first = try #require(frames.first)
    let last = try #require(frames.last)
    let period =
      Double(last.time.monotonic.nanoseconds(since: first.time.monotonic)) / Double(last.sequence - first.sequence)
    // The driver counts frames by its own rate, so the period is right on a slow machine too.
    #expect((15_000_000...25_000_000).contains(period))
  }

  /// A driver may stamp the start of the exposure instead of the end of the frame. Readers are told which one it is.
  @Test func aTimeStampOfTheStartOfExposureIsMarked() async throws {
    try set("timestamp_source", 1, on: "vivid-000")
    let sink = CollectingSink()
    let source = try await start("vivid-000", sink)
    let frame = await sink.nextFrame()
    await source.stop()
    try set("timestamp_source", 0, on: "vivid-000")
    #expect(frame?.time.source == .startOfExposure)
  }

  /// When readers hold all memory of the pool, frames are dropped and counted, and the stream goes on.
  @Test func aSmallPoolDropsFramesAndKeepsTheStream() async throws {
    let sink = CollectingSink()
    let pool = FramePool(budget: 1 << 20)
    let source = try await start("vivid-000", sink, pool: pool)
    var held = await frames(2, from: sink)
    #expect(held.count == 2)
    while pool.usage.refused < 5 { await Task.yield() }
    held = []
    let next = try #require(await sink.nextFrame())
    await source.stop()
    #expect(next.missing.outOfBuffers >= 5)
    #expect(next.sequence >= 2 + next.missing.total)
  }

  // MARK: - Faults

  /// When the driver drops frames, the gaps in its numbers count as discontinuities.
  @Test(arguments: ["vivid-000", "vivid-001"])
  func framesThatTheDriverDropsAreCounted(_ id: String) async throws {
    try set("percentage_of_dropped_buffers", 40, on: id)
    let sink = CollectingSink()
    let source = try await start(id, sink)
    let frames = await frames(30, from: sink)
    await source.stop()
    try set("percentage_of_dropped_buffers", 0, on: id)
    expectGapless(frames)
    #expect(frames.dropFirst().contains { $0.missing.discontinuity > 0 })
  }

  /// A buffer that the driver marks as damaged counts as damaged, and its number does not count as a gap as well.
  @Test func aFlaggedBufferIsCountedOnce() async throws {
    let sink = CollectingSink()
    let source = try await start("vivid-000", sink)
    var seen = await frames(5, from: sink)
    try set("inject_v4l2_buf_flag_error", on: "vivid-000")
    func damaged() -> UInt64 { seen.reduce(0) { $0 + $1.missing.damaged } }
    // On a busy machine, many frames may have come before the driver marks one.
    for _ in 0..<40 where damaged() == 0 { seen += await frames(5, from: sink) }
    seen += await frames(10, from: sink)
    await source.stop()
    expectGapless(seen)
    #expect(damaged() == 1)
  }

  /// After a call of the start failed, the error names the call, and the next start succeeds.
  @Test(arguments: ["reqbufs", "qbuf", "streamon"])
  func aFailedStartLeavesTheDeviceFree(_ call: String) async throws {
    try set("inject_vidioc_\(call)_error", on: "vivid-000")
    let error = await startError("vivid-000")
    #expect(error?.reason == .deviceFailed)
    #expect(error?.metadata["call"] == "VIDIOC_" + call.uppercased())
    let sink = CollectingSink()
    let source = try await start("vivid-000", sink)
    #expect(await sink.nextFrame() != nil)
    await source.stop()
  }

  /// When the driver refuses to take one buffer back, frames go on with the other buffers.
  @Test func aRefusedBufferDoesNotEndTheStream() async throws {
    let sink = CollectingSink()
    let source = try await start("vivid-000", sink)
    _ = await frames(3, from: sink)
    try set("inject_vidioc_qbuf_error", on: "vivid-000")
    #expect(await frames(15, from: sink).count == 15)
    await source.stop()
  }

  /// The camera is still present, so the error is `deviceFailed`. The camera can be started again.
  @Test func aFatalErrorEndsTheStreamAsFailed() async throws {
    let sink = CollectingSink()
    let source = try await start("vivid-001", sink)
    _ = await frames(3, from: sink)
    try set("inject_fatal_streaming_error", on: "vivid-001")
    #expect(await sink.end()?.reason == .deviceFailed)
    await source.stop()
    let again = CollectingSink()
    let restarted = try await start("vivid-001", again)
    #expect(restarted.streamID > source.streamID)
    #expect(await again.nextFrame() != nil)
    await restarted.stop()
  }

  /// A second start fails with `deviceInUse` and does not disturb the first stream.
  @Test func aSecondStreamFindsTheDeviceInUse() async throws {
    let sink = CollectingSink()
    let source = try await start("vivid-000", sink)
    #expect(await startError("vivid-000")?.reason == .deviceInUse)
    // Neither trying a format nor listing the devices disturbs the stream.
    _ = try await provider.resolve(request, on: "vivid-000")
    #expect(await provider.devices().count == 2)
    expectGapless(await frames(10, from: sink))
    await source.stop()
  }

  @Test func sequenceNumbersGoOnBeyond32Bits() async throws {
    try set("wrap_sequence_number", on: "vivid-000")
    let sink = CollectingSink()
    let source = try await start(
      "vivid-000", sink,
      request: StreamRequest(pixelFormat: .yuyv, size: Size(width: 320, height: 180), frameRate: Rational(60, 1)))
    let frames = await frames(160, from: sink)
    await source.stop()
    try set("wrap_sequence_number", 0, on: "vivid-000")
    expectGapless(frames)
    let first = try #require(frames.first?.sequence)
    let last = try #require(frames.last?.sequence)
    #expect(first < 1 << 32)
    #expect(last >= 1 << 32)
  }

  /// When the driver's time stamps wrap, frames get the instant of their arrival instead, which is marked as such.
  @Test(arguments: [1, 2])
  func timeStampsThatWrapAreReplacedByTheArrival(_ kind: Int) async throws {
    try set("wrap_timestamp", kind, on: "vivid-000")
    let sink = CollectingSink()
    let source = try await start("vivid-000", sink)
    let frames = await frames(10, from: sink)
    await source.stop()
    try set("wrap_timestamp", 0, on: "vivid-000")
    expectGapless(frames)
    let now = MonotonicInstant.now()
    for frame in frames {
      #expect(frame.time.source == .arrival)
      #expect(frame.time.monotonic <= now)
    }
  }

  // MARK: - Hot-plug

  /// A camera that is lost while its node stays is announced as disconnected and then as connected, and streams again.
  @Test func aLostCameraWhoseNodeStaysComesBack() async throws {
    #expect(await provider.devices().count == 2)
    var changes = provider.changes().makeAsyncIterator()
    let sink = CollectingSink()
    let source = try await start("vivid-001", sink)
    _ = await frames(3, from: sink)
    try set("disconnect", on: "vivid-001")
    #expect(await sink.end()?.reason == .deviceDisconnected)
    let gone = await changes.next()
    #expect(gone?.kind == .disconnected)
    #expect(gone?.device.id == "vivid-001")
    let back = await changes.next()
    #expect(back?.kind == .connected)
    #expect(back?.device.id == "vivid-001")
    await source.stop()
    let again = CollectingSink()
    let restarted = try await start("vivid-001", again)
    #expect(await again.nextFrame() != nil)
    await restarted.stop()
  }

  /// Unbinding stands for unplugging: the stream ends, both cameras are disconnected, and binding the driver brings
  /// both cameras back unchanged.
  @Test func unbindingTheDriverTakesBothCamerasAndTheirStreams() async throws {
    let before = await provider.devices()
    #expect(before.count == 2)
    var changes = provider.changes().makeAsyncIterator()
    let sink = CollectingSink()
    let source = try await start("vivid-000", sink)
    _ = await frames(3, from: sink)
    try driver("unbind")
    #expect(await sink.end()?.reason == .deviceDisconnected)
    var gone: Set<String> = []
    while gone.count < 2, let change = await changes.next() {
      #expect(change.kind == .disconnected)
      gone.insert(change.device.id)
    }
    #expect(gone == ["vivid-000", "vivid-001"])
    #expect(await provider.devices().isEmpty)
    await source.stop()
    #expect(await startError("vivid-000")?.reason == .deviceNotFound)

    try driver("bind")
    var back: [Device] = []
    while back.count < 2, let change = await changes.next() {
      #expect(change.kind == .connected)
      back.append(change.device)
    }
    // The devices have hundreds of formats, which a failed expectation should not print.
    let isSame = Set(back) == Set(before)
    #expect(isSame)
    let again = CollectingSink()
    let restarted = try await start("vivid-000", again)
    #expect(await again.nextFrame() != nil)
    await restarted.stop()
  }
}
