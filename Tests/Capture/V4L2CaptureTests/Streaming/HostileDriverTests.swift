import CV4L2
import CaptureCore
import Glibc
import Synchronization
import Testing

@testable import V4L2Capture

/// Drivers that report wrong values, and a process without descriptors. The worst result is a stream that ends; the
/// daemon always survives.
@Suite(.timeLimit(.minutes(1))) struct HostileDriverTests {
  private static let request = StreamRequest(
    pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: Rational(30, 1))

  private static func start(
    _ kernel: FakeKernel, _ sink: any FrameSink, request: StreamRequest = request,
    interface: CaptureInterface = .singlePlanar, didClose: @escaping @Sendable (CaptureError?) -> Void = { _ in }
  ) async throws -> V4L2Source {
    try await V4L2Source(
      CaptureThread.Assignment(
        deviceID: "cam", path: "/dev/video0", interface: interface, request: request.neverStalling,
        pool: FramePool(budget: 1 << 20), sink: sink, syscalls: kernel, isPresent: { true }, didClose: didClose))
  }

  // MARK: - Numbers

  /// Times that overflow, are negative or have more than a million microseconds do not end the daemon.
  @Test(arguments: [(1 << 40, 0), (Int.max, Int.max), (0, Int.max), (5, 1_000_000), (Int.min, 0), (0, -1)])
  func anImpossibleTimeStampIsReplacedByTheArrival(_ seconds: Int, _ microseconds: Int) async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await Self.start(kernel, sink)
    kernel.deliver(sequence: 0, time: timeval(tv_sec: seconds, tv_usec: microseconds))
    let frame = try #require(await sink.nextFrame())
    #expect(frame.time.source == .arrival)
    await source.stop()
  }

  /// When the driver claims to have filled more than the buffer, the daemon reads only the buffer.
  @Test func moreBytesThanTheBufferHasAreNotRead() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await Self.start(kernel, sink)
    kernel.deliver(sequence: 0, byte: 0x55, bytesUsed: [Int(UInt32.max)])
    #expect(await sink.nextFrame()?.bytes == Array(repeating: 0x55, count: 64 * 48 * 2))
    await source.stop()
  }

  /// A driver that returns the index of a buffer that does not exist has failed: the stream ends and the device is
  /// closed.
  @Test(arguments: [4, 5, UInt32.max])
  func aBufferThatDoesNotExistEndsTheStream(_ index: UInt32) async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await Self.start(kernel, sink)
    kernel.deliver(sequence: 0, index: index)
    #expect(await sink.end()?.reason == .deviceFailed)
    #expect(kernel.openCount == 0)
    await source.stop()
  }

  /// In a multi-planar buffer, the payload begins at `data_offset`. A frame with too little payload behind the offset
  /// is damaged.
  @Test func payloadBeginsAtTheDataOffset() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await Self.startMultiPlanar(kernel, sink)
    // The bytes used count from the start of the buffer and include the offset, so the payload is too short.
    kernel.deliver(sequence: 0, dataOffset: 8)
    // The offset is behind the end of the buffer, and behind the bytes that are used.
    kernel.deliver(sequence: 1, dataOffset: UInt32.max)
    kernel.deliver(sequence: 2)
    let frame = try #require(await sink.nextFrame())
    #expect((frame.sequence, frame.missing) == (2, DropCounts(damaged: 2)))
    await source.stop()
  }

  /// V4L2 allows eight planes. A driver that reports more must not make the daemon access memory outside of its array.
  @Test(arguments: [9, UInt32.max])
  func aBufferWithTooManyPlanesIsRefused(_ count: UInt32) async throws {
    let kernel = FakeKernel()
    kernel.change { $0.claimedPlanes = count }
    let error = await #expect(throws: CaptureError.self) {
      _ = try await Self.startMultiPlanar(kernel, CollectingSink())
    }
    #expect(error?.metadata["call"] == "VIDIOC_QUERYBUF")
    #expect(kernel.openCount == 0)
  }

  private static func startMultiPlanar(_ kernel: FakeKernel, _ sink: any FrameSink) async throws -> V4L2Source {
    kernel.change {
      $0.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_STREAMING)
      $0.formats = [.init("NM12") { [($0.width, $0.height), ($0.width, $0.height / 2)] }]
    }
    return try await start(
      kernel, sink,
      request: StreamRequest(
        pixelFormat: PixelFormat(fourCC: "NM12")!, size: request.size, frameRate: Rational(30, 1)),
      interface: .multiPlanar)
  }

  // MARK: - Errors of a running stream

  /// The errno tells a lost device from a failed one.
  @Test(
    arguments: [
      (EIO, .deviceFailed), (EPIPE, .deviceFailed), (EINVAL, .deviceFailed), (ENODEV, .deviceDisconnected),
      (ENXIO, .deviceDisconnected),
    ] as [(Int32, CaptureError.Reason)])
  func aFailedDequeueEndsTheStream(_ error: Int32, _ reason: CaptureError.Reason) async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await Self.start(kernel, sink)
    kernel.fail("VIDIOC_DQBUF", with: error)
    kernel.deliver(sequence: 0)
    let end = try #require(await sink.end())
    #expect(end.reason == reason)
    #expect(end.metadata["call"] == "VIDIOC_DQBUF")
    #expect(kernel.openCount == 0)
    await source.stop()
  }

  /// The stream ends when the driver has taken back none of its buffers, because no frame can come any more.
  @Test func aDriverThatRefusesAllBuffersEndsTheStream() async throws {
    let kernel = FakeKernel()
    let sink = CollectingSink()
    let source = try await Self.start(kernel, sink)
    kernel.fail("VIDIOC_QBUF", with: EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL)
    for sequence in 0..<4 as Range<UInt32> { kernel.deliver(sequence: sequence) }
    let end = try #require(await sink.end())
    #expect(end.metadata["call"] == "VIDIOC_QBUF")
    #expect(kernel.openCount == 0)
    await source.stop()
  }

  // MARK: - A process without descriptors

  /// The start fails with EMFILE, and the daemon goes on.
  @Test func withoutAFreeDescriptorTheStartFails() async {
    // The test runs in a process of its own, because the limit applies to the whole process.
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let closed = Atomic(0)
      let error = await #expect(throws: CaptureError.self) {
        _ = try await HostileDriverTests.start(FakeKernel(), CollectingSink()) { _ in closed.add(1, ordering: .relaxed)
        }
      }
      #expect(error?.metadata["errno"] == "EMFILE")
      // Without this call, the catalog would believe for ever that the camera streams.
      #expect(closed.load(ordering: .relaxed) == 1)
    }
  }
}
