import CV4L2
import CaptureCore
import Glibc
import SystemClocks
import Testing

@testable import V4L2Capture

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

  @Test func tellsWhatTheDriverConfirmed() async throws {
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

  @Test func respectsTheBuffersADriverNeeds() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.controls[CV4L2_CID_MIN_BUFFERS_FOR_CAPTURE] = 6 }
    let source = try await start(kernel, CollectingSink())
    #expect(kernel.log.contains("VIDIOC_REQBUFS 7"))
    await source.stop()
  }

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

  @Test func anotherSizeThanAskedIsRefusedWithTheOffer() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.insistsOn = Size(width: 32, height: 32) }
    let error = await #expect(throws: CaptureError.self) { _ = try await start(kernel, CollectingSink()) }
    #expect(error?.reason == .formatNotSupported)
    #expect(error?.metadata["offered_size"] == "32x32")
    #expect(error?.metadata["offered_pixel_format"] == "YUYV")
    #expect(kernel.openCount == 0)
  }

  @Test func aDriverWithoutRatesStreamsAllTheSame() async throws {
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

  @Test("a camera that goes while its rate is set is gone") func aCameraThatGoesWhileItsRateIsSet() async throws {
    let kernel = FakeKernel()
    kernel.fail("VIDIOC_S_PARM", with: EPIPE)
    kernel.fail("VIDIOC_QUERYCAP", with: ENODEV)
    let error = await #expect(throws: CaptureError.self) { _ = try await start(kernel, CollectingSink()) }
    #expect(error?.reason == .deviceDisconnected)
    #expect(kernel.openCount == 0)
  }

  @Test func aSourceThatIsForgottenStops() async throws {
    let kernel = FakeKernel()
    let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
    var source: V4L2Source? = try await start(kernel, CollectingSink()) { _ in continuation.finish() }
    #expect(source != nil)
    source = nil
    for await _ in closed {}
    #expect(kernel.openCount == 0)
  }

  // MARK: - Frames

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

  @Test func anEmptyPoolCostsFramesNotTheStream() async throws {
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

  @Test func foreignFormatsAreConverted() async throws {
    let kernel = FakeKernel()
    kernel.change { $0.formats = [.init("RGBP")] }
    let sink = CollectingSink()
    let source = try await start(
      kernel, sink,
      request: StreamRequest(
        pixelFormat: PixelFormat(fourCC: "RGBP")!, size: request.size, frameRate: Rational(30, 1)))
    #expect(source.format.layout == FrameLayout.packed(.yuv420, request.size))
    // White: limited range luma, neutral chroma.
    kernel.deliver(sequence: 0, byte: 0xff)
    let frame = try #require(await sink.nextFrame())
    #expect(frame.bytes.count == 64 * 48 * 3 / 2)
    #expect((230...236).contains(frame.bytes[100]))
    #expect((126...130).contains(frame.bytes[64 * 48 + 10]))
    await source.stop()
  }

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

  @Test func aPulledCameraEndsTheSourceOnce() async throws {
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

  @Test func nothingArrivesAfterStop() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await start(kernel, sink)
    await withTaskGroup { group in
      for _ in 0..<3 { group.addTask { await source.stop() } }
    }
    kernel.disconnect()
    sink.finish()
    for await _ in sink.events { Issue.record("an event after stop") }
  }

  @Test func stopSurvivesCancellation() async throws {
    let kernel = FakeKernel()
    let source = try await start(kernel, CollectingSink())
    let stopping = Task { await source.stop() }
    stopping.cancel()
    await stopping.value
    #expect(kernel.openCount == 0)
  }
}
