import CV4L2
import CaptureCore
import Glibc
import SystemClocks
import Testing

@testable import V4L2Capture

/// Streams of one camera of the fake kernel: their start, their frames and their end.
@Suite(.timeLimit(.minutes(1))) struct CaptureThreadTests {
  private let request = StreamRequest(
    pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: Rational(30, 1))
  private let pool = FramePool(budget: 1 << 20)

  private func start(
    _ kernel: FakeKernel, _ sink: any FrameSink, request: StreamRequest? = nil, pool: FramePool? = nil,
    interface: CaptureInterface = .singlePlanar, didClose: @escaping @Sendable (CaptureError?) -> Void = { _ in }
  ) async throws -> V4L2Source {
    try await V4L2Source(
      CaptureThread.Assignment(
        deviceID: "cam", path: "/dev/video0", interface: interface, request: (request ?? self.request).neverStalling,
        pool: pool ?? self.pool, sink: sink, syscalls: kernel, isPresent: { true }, didClose: didClose))
  }

  // MARK: - Start and stop

  /// A stop undoes the calls of the start in reverse order. A second stop makes no calls.
  @Test func startsInOrderAndStopsInReverse() async throws {
    let kernel = FakeKernel()
    let source = try await start(kernel, CollectingSink())
    #expect(
      kernel.log == ["open", "VIDIOC_S_FMT", "VIDIOC_S_PARM", "VIDIOC_REQBUFS 4"]
        + Array(repeating: "mmap", count: 4) + Array(repeating: "VIDIOC_QBUF", count: 4) + ["VIDIOC_STREAMON"])
    let started = kernel.log.count
    await source.stop()
    #expect(
      Array(kernel.log[started...]) == ["VIDIOC_STREAMOFF"] + Array(repeating: "munmap", count: 4)
        + ["VIDIOC_REQBUFS 0", "close"])
    #expect(kernel.openCount == 0)
    await source.stop()
  }

  /// The format of a source has the rate and the stride that the driver confirmed, which may differ from the request.
  @Test func theFormatIsTheOneThatTheDriverConfirmed() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.padding = 32 }
    let source = try await start(
      kernel, CollectingSink(),
      request: StreamRequest(pixelFormat: .yuyv, size: request.size, frameRate: Rational(20, 1)))
    #expect(source.format.frameRate == Rational(15, 1))
    #expect(kernel.rate == Rational(1, 15))
    #expect(source.format.layout.planes == [.init(offset: 0, stride: 160, rows: 48)])
    await source.stop()
  }

  /// A driver may need a number of buffers for itself. The daemon then requests one more than that number.
  @Test func oneBufferMoreThanTheDriverNeedsIsRequested() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.controls[CV4L2_CID_MIN_BUFFERS_FOR_CAPTURE] = 6 }
    let source = try await start(kernel, CollectingSink())
    #expect(kernel.log.contains("VIDIOC_REQBUFS 7"))
    await source.stop()
  }

  /// The arguments are the call that fails, its errno, the reason of the error, and the calls that undo the start.
  @Test(
    arguments: [
      ("open", EACCES, .deviceAccessDenied, []),
      ("VIDIOC_S_FMT", EBUSY, .deviceInUse, ["close"]),
      ("VIDIOC_S_FMT", EINVAL, .formatNotSupported, ["close"]),
      ("VIDIOC_S_FMT", EIO, .deviceNotResponding, ["close"]),
      ("VIDIOC_S_PARM", ETIMEDOUT, .deviceNotResponding, ["close"]),
      ("VIDIOC_REQBUFS", EINVAL, .deviceFailed, ["close"]),
      ("mmap", ENOMEM, .deviceFailed, ["VIDIOC_REQBUFS 0", "close"]),
      ("VIDIOC_QBUF", EINVAL, .deviceFailed, ["munmap", "munmap", "munmap", "munmap", "VIDIOC_REQBUFS 0", "close"]),
      (
        "VIDIOC_STREAMON", ENOSPC, .bandwidthExceeded,
        ["munmap", "munmap", "munmap", "munmap", "VIDIOC_REQBUFS 0", "close"]
      ),
      (
        "VIDIOC_STREAMON", EPIPE, .deviceNotResponding,
        ["munmap", "munmap", "munmap", "munmap", "VIDIOC_REQBUFS 0", "close"]
      ),
    ] as [(String, Int32, CaptureError.Reason, [String])])
  func aFailedStartIsRolledBack(
    _ call: String, _ errno: Int32, _ reason: CaptureError.Reason, _ rollback: [String]
  ) async throws {
    let kernel = FakeKernel()
    kernel.fail(call, with: errno)
    let error = await #expect(throws: CaptureError.self) { _ = try await start(kernel, CollectingSink()) }
    #expect(error?.reason == reason)
    let failed = try #require(kernel.log.lastIndex { $0.hasPrefix(call) && $0 != "VIDIOC_REQBUFS 0" })
    #expect(Array(kernel.log[(failed + 1)...]) == rollback)
    #expect(kernel.openCount == 0)
  }

  /// A driver may answer another size than the one asked for. The start fails, and the error names the size and the
  /// format that the driver offers.
  @Test func anotherSizeThanAskedIsRefusedWithTheOffer() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.insistsOn = Size(width: 32, height: 32) }
    let error = await #expect(throws: CaptureError.self) { _ = try await start(kernel, CollectingSink()) }
    #expect(error?.reason == .formatNotSupported)
    #expect(error?.metadata["offered_size"] == "32x32")
    #expect(error?.metadata["offered_pixel_format"] == "YUYV")
    #expect(kernel.openCount == 0)
  }

  @Test func aDriverThatCannotSetRatesStreams() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.setsRate = false }
    let source = try await start(kernel, CollectingSink())
    #expect(source.format.frameRate == Rational(30, 1))
    await source.stop()
  }

  @Test("a camera that stalls when its rate is set streams at the rate that it has")
  func aCameraThatRefusesRates() async throws {
    let kernel = FakeKernel()
    kernel.fail("VIDIOC_S_PARM", with: EPIPE)
    let source = try await start(kernel, CollectingSink())
    #expect(source.format.frameRate == kernel.rate.reciprocal)
    await source.stop()
  }

  @Test("a camera lost while its rate is set is disconnected") func aCameraThatGoesWhileItsRateIsSet() async throws {
    let kernel = FakeKernel()
    kernel.fail("VIDIOC_S_PARM", with: EPIPE)
    kernel.fail("VIDIOC_QUERYCAP", with: ENODEV)
    let error = await #expect(throws: CaptureError.self) { _ = try await start(kernel, CollectingSink()) }
    #expect(error?.reason == .deviceDisconnected)
    #expect(kernel.openCount == 0)
  }

  /// A source that its owner releases without a stop closes its device.
  @Test func aSourceThatIsReleasedStops() async throws {
    let kernel = FakeKernel()
    let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
    var source: V4L2Source? = try await start(kernel, CollectingSink()) { _ in continuation.finish() }
    #expect(source != nil)
    source = nil
    for await _ in closed {}
    #expect(kernel.openCount == 0)
  }

  // MARK: - Frames

  /// A gap in the driver's numbers counts as a discontinuity, and a frame's time says what the driver stamped.
  @Test func framesArriveInOrderWithTheDriversNumbersAndTimes() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    let stamp = Int64(MonotonicInstant.now().nanoseconds) / 1000 * 1000
    kernel.deliver(
      sequence: 3, byte: 0x11, flags: V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE,
      nanoseconds: stamp)
    kernel.deliver(sequence: 5, byte: 0x22, nanoseconds: stamp + 1000)
    let first = try #require(await sink.nextFrame())
    #expect(first.streamID == source.streamID)
    #expect((first.sequence, first.missing) == (3, DropCounts()))
    #expect(first.time.monotonic.nanoseconds == UInt64(stamp))
    #expect(first.time.source == .startOfExposure)
    #expect(first.bytes == Array(repeating: 0x11, count: 64 * 48 * 2))
    let second = try #require(await sink.nextFrame())
    #expect((second.sequence, second.missing) == (5, DropCounts(discontinuity: 1)))
    #expect(second.time.source == .endOfFrame)
    #expect(second.bytes.first == 0x22)
    await source.stop()
  }

  /// The capture thread copies frames out of the driver's buffers, so readers that keep frames leave the driver all its
  /// buffers.
  @Test func heldFramesDoNotStarveTheDriver() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    var held: [Frame] = []
    for sequence in 0..<20 as Range<UInt32> {
      kernel.deliver(sequence: sequence)
      held.append(try #require(await sink.nextFrame()))
      #expect(kernel.queuedCount == 4)
    }
    #expect(held.map(\.sequence) == Array(0..<20))
    await source.stop()
  }

  /// A frame is damaged when the driver marks it or fills too few bytes. Readers do not get the frame, and the next
  /// frame counts it.
  @Test func damagedFramesAreCountedNotPublished() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    kernel.deliver(sequence: 0)
    kernel.deliver(sequence: 1, flags: V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_ERROR)
    kernel.deliver(sequence: 2, bytesUsed: [100])
    kernel.deliver(sequence: 3)
    #expect(await sink.nextFrame()?.sequence == 0)
    let next = try #require(await sink.nextFrame())
    #expect((next.sequence, next.missing) == (3, DropCounts(damaged: 2)))
    await source.stop()
  }

  /// When readers hold all memory of the pool, frames are dropped and counted, and the stream goes on.
  @Test func anEmptyPoolDropsFramesAndKeepsTheStream() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink, pool: FramePool(budget: 8192))
    kernel.deliver(sequence: 0)
    var held = await sink.nextFrame()
    kernel.deliver(sequence: 1)
    while kernel.queuedCount < 4 { await Task.yield() }
    #expect(held?.sequence == 0)
    held = nil
    kernel.deliver(sequence: 2)
    let next = try #require(await sink.nextFrame())
    #expect((next.sequence, next.missing) == (2, DropCounts(outOfBuffers: 1)))
    await source.stop()
  }

  /// A driver may leave out the padding of the last line. The daemon fills these bytes with zeros.
  @Test func paddingThatTheDriverLeftOutIsZero() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.padding = 32 }
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    kernel.deliver(sequence: 0, byte: 0x77, bytesUsed: [160 * 47 + 128])
    let bytes = try #require(await sink.nextFrame()).bytes
    #expect(bytes.count == 160 * 48)
    #expect(bytes.suffix(33) == [0x77] + Array(repeating: 0, count: 32))
    await source.stop()
  }

  /// A picture without Huffman tables gets the standard tables, and bytes after its end are cut off. A picture without
  /// an end and a picture of another size count as damaged.
  @Test func motionJPEGIsCompleted() async throws {
    let kernel = FakeKernel()
    kernel.change {
      $0.formats = [.init("MJPG", sizes: [.discrete(Size(width: 64, height: 48))]) { _ in [(0, 4096)] }]
    }
    let sink = CollectingSink()
    let source = try await start(
      kernel, sink, request: StreamRequest(pixelFormat: .mjpeg, size: request.size, frameRate: Rational(30, 1)))
    let scan: [UInt8] = [0xff, 0xda, 0, 2, 1, 2, 3]
    func header(_ width: UInt8) -> [UInt8] { [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 48, 0, width, 1, 1, 0x11, 0] }
    kernel.deliver(sequence: 0, bytes: header(64) + scan)
    kernel.deliver(sequence: 1, bytes: header(32) + scan + [0xff, 0xd9])
    kernel.deliver(sequence: 2, bytes: header(64) + scan + [0xff, 0xd9, 0, 0, 0])
    let frame = try #require(await sink.nextFrame())
    #expect(frame.bytes == header(64) + HuffmanTables.segment + scan + [0xff, 0xd9])
    #expect((frame.sequence, frame.missing) == (2, DropCounts(damaged: 2)))
    #expect(frame.layout.planes.isEmpty)
    await source.stop()
  }

  /// A multi-planar driver fills one buffer for each plane. Readers get one memory with both planes.
  @Test func separatePlanesAreJoined() async throws {
    let kernel = FakeKernel()
    kernel.change {
      $0.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_STREAMING)
      $0.formats = [.init("NM12") { [($0.width, $0.height), ($0.width, $0.height / 2)] }]
    }
    let sink = CollectingSink()
    let source = try await start(
      kernel, sink,
      request: StreamRequest(
        pixelFormat: PixelFormat(fourCC: "NM12")!, size: request.size, frameRate: Rational(30, 1)),
      interface: .multiPlanar)
    #expect(source.format.layout == FrameLayout.packed(.nv12, request.size))
    kernel.deliver(sequence: 0, byte: 0x40)
    let frame = try #require(await sink.nextFrame())
    #expect(frame.bytes == Array(repeating: 0x40, count: 3072) + Array(repeating: 0x41, count: 1536))
    await source.stop()
  }

  /// A format that the daemon does not deliver as it is arrives as planar 4:2:0.
  @Test func foreignFormatsAreConverted() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.formats = [.init("RGBP")] }
    let sink = CollectingSink()
    let source = try await start(
      kernel, sink,
      request: StreamRequest(
        pixelFormat: PixelFormat(fourCC: "RGBP")!, size: request.size, frameRate: Rational(30, 1)))
    #expect(source.format.layout == FrameLayout.packed(.yuv420, request.size))
    // White gives limited-range luma and neutral chroma.
    kernel.deliver(sequence: 0, byte: 0xff)
    let frame = try #require(await sink.nextFrame())
    let samples = 64 * 48 * 3 / 2
    #expect(frame.bytes.count == samples)
    #expect((230...236).contains(frame.bytes[100]))
    #expect((126...130).contains(frame.bytes[64 * 48 + 10]))
    await source.stop()
  }

  /// The capture thread queues a buffer that the driver refused again after the next frame.
  @Test func aRefusedBufferIsQueuedAgainLater() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    kernel.fail("VIDIOC_QBUF", with: EINVAL)
    kernel.deliver(sequence: 0)
    #expect(await sink.nextFrame()?.sequence == 0)
    #expect(kernel.queuedCount == 3)
    kernel.deliver(sequence: 1)
    #expect(await sink.nextFrame()?.sequence == 1)
    #expect(kernel.queuedCount == 4)
    await source.stop()
  }

  // MARK: - The end

  /// The sink hears of the loss once, the device is closed, and a later stop changes nothing.
  @Test func anUnpluggedCameraEndsTheSourceOnce() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let (closed, continuation) = AsyncStream.makeStream(of: CaptureError?.self)
    let source = try await start(kernel, sink) { continuation.yield($0) }
    kernel.disconnect()
    #expect(await sink.end()?.reason == .deviceDisconnected)
    #expect(kernel.openCount == 0)
    for await error in closed {
      #expect(error?.reason == .deviceDisconnected)
      break
    }
    await source.stop()
    sink.finish()
    #expect(await sink.end() == nil)
  }

  /// When the stream fails while the device is still there, the error is `deviceFailed`, not a disconnection.
  @Test func aFatalErrorOfAPresentDeviceIsAFailure() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    kernel.breakStream()
    let error = await sink.end()
    #expect(error?.reason == .deviceFailed)
    #expect(error?.metadata["errno"] == "EIO")
    #expect(kernel.openCount == 0)
    await source.stop()
  }

  /// Once a stop has returned, the sink gets neither frames nor an end, also when several tasks stop at once.
  @Test func nothingArrivesAfterStop() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    await withTaskGroup { group in
      for _ in 0..<3 { group.addTask { await source.stop() } }
    }
    kernel.disconnect()
    sink.finish()
    for await _ in sink.events { Issue.record("the sink got an event after the stop") }
  }

  /// A stop closes the device even when the task that stops is cancelled.
  @Test func stopSurvivesCancellation() async throws {
    let kernel = FakeKernel()
    let source = try await start(kernel, CollectingSink())
    let stopping = Task { await source.stop() }
    stopping.cancel()
    await stopping.value
    #expect(kernel.openCount == 0)
  }
}
