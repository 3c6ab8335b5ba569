import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

/// A small and fast stream, so that the tests run under every sanitizer in time.
let smallRequest = StreamRequest(
  pixelFormat: .nv12, size: Size(width: 320, height: 180), frameRate: Rational(60, 1))

/// Tests that synthetic cameras behave as cameras with a driver do: what they list, refuse, deliver and free.
@Suite struct SyntheticDeviceProviderTests {
  private let provider = SyntheticDeviceProvider(count: 2)
  private let pool = FramePool(budget: 64 << 20)
  private let sink = RecordingSink()

  /// The reason of the error that `body` throws; nil when it throws none.
  private func error(_ body: () async throws(CaptureError) -> Void) async -> CaptureError.Reason? {
    do {
      try await body()
      return nil
    } catch { return error.reason }
  }

  /// The provider lists as many cameras as it was made with, called `synthetic-0`, `synthetic-1` and so on.
  @Test func camerasAreListedWithTheirIDs() async {
    let devices = await provider.devices()
    #expect(devices.map(\.id) == ["synthetic-0", "synthetic-1"])
    #expect(devices.allSatisfy { $0.type == .synthetic && $0.driver == "synthetic" })
    #expect(await SyntheticDeviceProvider(count: 0).devices().isEmpty)
  }

  /// No two formats have the same pixel format and size, because a request names only these two. Every format tells
  /// whether it is binned.
  @Test func eachPixelFormatAndSizeIsOneFormat() async throws {
    let formats = try #require(await provider.devices().first).formats
    let names = Set(formats.map { "\($0.pixelFormat) \($0.frameSize)" })
    #expect(names.count == formats.count)
    #expect(formats.count { $0.isBinned == true } == 4)
    #expect(formats.allSatisfy { $0.isBinned != nil })
  }

  /// A rate that the camera does not offer becomes the nearest one that it offers for the size, as with a driver.
  @Test func aRequestGetsTheNearestOfferedRate() async throws {
    func rate(_ wanted: Rational, _ size: Size) async throws -> Rational {
      try await provider.resolve(
        StreamRequest(pixelFormat: .yuyv, size: size, frameRate: wanted), on: "synthetic-1"
      ).frameRate
    }
    let (hd, uhd) = (Size(width: 1920, height: 1080), Size(width: 3840, height: 2160))
    #expect(try await rate(Rational(60, 1), hd) == Rational(60, 1))
    #expect(try await rate(Rational(60, 1), uhd) == Rational(60, 1))
    #expect(try await rate(Rational(45, 1), uhd) == Rational(50, 1))
    #expect(try await rate(Rational(30_000, 1001), hd) == Rational(30, 1))
    #expect(try await rate(Rational(1, 1), hd) == Rational(5, 1))
  }

  /// A size or a pixel format that the camera does not offer is refused with `formatNotSupported`, and an unknown
  /// camera with `deviceNotFound`.
  @Test func unknownFormatsAndDevicesAreRefused() async {
    var odd = smallRequest
    odd.size = Size(width: 321, height: 180)
    #expect(
      await error { () throws(CaptureError) in _ = try await provider.resolve(odd, on: "synthetic-0") }
        == .formatNotSupported)
    var jpeg = smallRequest
    jpeg.pixelFormat = .mjpeg
    #expect(
      await error { () throws(CaptureError) in _ = try await provider.resolve(jpeg, on: "synthetic-0") }
        == .formatNotSupported)
    let missing = await error { () throws(CaptureError) in
      _ = try await provider.start(smallRequest, on: "synthetic-2", pool: pool, sink: sink)
    }
    #expect(missing == .deviceNotFound)
  }

  /// Sequence numbers start at 0 and are consecutive except for the frames that the next frame reports as missing. The
  /// picture shows the same number and instant as the frame's metadata, and instants are exact multiples of the period
  /// apart.
  @Test(arguments: [PixelFormat.nv12, .yuyv])
  func framesTellTheirSequenceAndInstant(format: PixelFormat) async throws {
    var request = smallRequest
    request.pixelFormat = format
    let before = MonotonicInstant.now()
    let source = try await provider.start(request, on: "synthetic-0", pool: pool, sink: sink)
    let frames = try await sink.frames.wait(count: 6)
    await source.stop()
    #expect(frames.first?.sequence == frames.first?.missing.total, "numbers start at 0")
    #expect(source.format.layout == .packed(format, request.size))
    for frame in frames {
      #expect(frame.streamID == source.streamID)
      #expect(frame.layout == source.format.layout)
      #expect(frame.time.source == .startOfExposure)
      #expect(Timecode(frame) == Timecode(sequence: frame.sequence, time: frame.time.wall))
    }
    #expect(frames[0].time.monotonic >= before)
    for (a, b) in zip(frames, frames.dropFirst()) {
      #expect(b.sequence == a.sequence + 1 + b.missing.total)
      // A time stamp is the instant of the frame's tick, regardless of when the thread ran. The distances are therefore
      // multiples of the period, rounded to a microsecond.
      let periods = b.sequence - a.sequence
      let distance = b.time.monotonic.nanoseconds(since: a.time.monotonic)
      #expect(distance.isNear(periods * 1_000_000_000 / 60, within: 1000))
    }
  }

  /// A camera that streams refuses a second stream with `deviceInUse`; another camera may stream, and after a stop the
  /// camera streams again with a later stream id.
  @Test func aDeviceStreamsOnlyOnce() async throws {
    let source = try await provider.start(smallRequest, on: "synthetic-0", pool: pool, sink: sink)
    let second = await error { () throws(CaptureError) in
      _ = try await provider.start(smallRequest, on: "synthetic-0", pool: pool, sink: sink)
    }
    #expect(second == .deviceInUse)
    let otherSink = RecordingSink()
    let other = try await provider.start(smallRequest, on: "synthetic-1", pool: pool, sink: otherSink)
    try await otherSink.frames.wait(count: 1)
    await source.stop()
    let again = try await provider.start(smallRequest, on: "synthetic-0", pool: pool, sink: sink)
    #expect(again.streamID > source.streamID)
    await again.stop()
    await other.stop()
  }

  /// When `stop` has returned, no frame comes and the sink hears of no loss, a second stop is harmless, and all memory
  /// is back in the pool.
  @Test func aStopEndsTheFramesAndFreesTheMemory() async throws {
    let source = try await provider.start(smallRequest, on: "synthetic-0", pool: pool, sink: sink)
    try await sink.frames.wait(count: 3)
    await source.stop()
    let count = sink.frames.count
    await source.stop()
    #expect(sink.frames.count == count)
    #expect(sink.ends.count == 0, "the sink is not told of a loss when the source is stopped")
    sink.frames.removeAll()
    // Taking the whole budget at once succeeds only when all slabs are back.
    #expect(pool.usage.allocated > 0)
    let everything = if pool.take(pool.budget) != nil { true } else { false }
    #expect(everything)
  }

  /// A stream that takes a used or a prewarmed renderer shows its own instant and nothing of an earlier picture.
  @Test func aRestartedOrPrewarmedCameraShowsThePresentInstant() async throws {
    await provider.prewarm()
    var request = smallRequest
    // The first stream takes the renderer that prewarming made. The others change the format and come back to a
    // renderer that was used before.
    for size in [Size(width: 1920, height: 1080), smallRequest.size, smallRequest.size] {
      request.size = size
      sink.frames.removeAll()
      let source = try await provider.start(request, on: "synthetic-0", pool: pool, sink: sink)
      let frame = try await sink.frames.wait(count: 1)[0]
      await source.stop()
      #expect(frame.layout == .packed(.nv12, size))
      #expect(Timecode(frame) == Timecode(sequence: frame.sequence, time: frame.time.wall))
      guard size == smallRequest.size else { continue }
      let fresh = Rendered(
        .init(), .nv12, size, sequence: frame.sequence, time: frame.time.wall)
      #expect(Rendered(frame).scene() == fresh.scene(), "a renderer that was never used draws the same scene")
    }
  }

  /// The timecode board of every picture has the number of the camera, with a prewarmed renderer and with a new one.
  @Test(arguments: [UInt32(0), 1]) func picturesShowTheNumberOfTheirCamera(camera: UInt32) async throws {
    await provider.prewarm()
    // The first size takes the renderer that prewarming made, the second size a renderer that the stream makes.
    for size in [Size(width: 1920, height: 1080), smallRequest.size] {
      var request = smallRequest
      request.size = size
      sink.frames.removeAll()
      let source = try await provider.start(request, on: "synthetic-\(camera)", pool: pool, sink: sink)
      let frame = try await sink.frames.wait(count: 1)[0]
      await source.stop()
      #expect(Timecode(frame)?.camera == camera)
    }
  }

  /// While the pool is used up, the camera drops frames, and the next frame reports them as out of buffers and not as
  /// late.
  @Test func aFullPoolDropsFramesAndReportsThem() async throws {
    // The pool has room for two frames, which the sink keeps until the test removes them.
    let tight = FramePool(budget: 2 * 90_112)
    let source = try await provider.start(smallRequest, on: "synthetic-0", pool: tight, sink: sink)
    try await sink.frames.wait(count: 2)
    while tight.usage.refused == 0 { await Task.yield() }
    sink.frames.removeAll()
    let next = try await sink.frames.first { $0.missing.outOfBuffers > 0 }
    await source.stop()
    #expect(next.missing.outOfBuffers >= 1)
    #expect(next.missing.late == 0)
  }
}

extension UInt64 {
  /// Whether the two numbers differ by at most `distance`.
  func isNear(_ other: UInt64, within distance: UInt64) -> Bool {
    Swift.max(self, other) - Swift.min(self, other) <= distance
  }
}
