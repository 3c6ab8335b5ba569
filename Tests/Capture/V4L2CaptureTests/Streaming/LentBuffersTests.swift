import CV4L2
import CaptureCore
import CaptureTestKit
import Glibc
import Testing

@testable import V4L2Capture

/// Frames that stay in the buffers of the fake kernel's driver, which has 4 buffers at first and must keep 3.
@Suite(.timeLimit(.minutes(1))) struct LentBuffersTests {
  private static let request = StreamRequest(
    pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: Rational(30, 1))
  private static let frameBytes = 64 * 48 * 2
  private let kernel = FakeKernel()
  private let sink = CollectingSink()

  private func start(_ pool: FramePool = FramePool(budget: 1 << 20)) async throws -> V4L2Source {
    try await V4L2Source(
      CaptureThread.Assignment(
        deviceID: "cam", path: "/dev/video0", interface: .singlePlanar, request: Self.request.neverStalling, pool: pool,
        sink: sink, syscalls: kernel, lendsBuffers: true, isPresent: { true }, didClose: { _ in }))
  }

  private var grown: Int { kernel.log.count { $0 == "VIDIOC_CREATE_BUFS" } }

  /// When nobody uses a frame any more, the driver gets its buffer back, and no other memory is needed.
  @Test func aFrameKeepsItsBufferUntilNobodyUsesIt() async throws {
    let pool = FramePool(budget: 1 << 20)
    let source = try await start(pool)
    for sequence in 0..<20 as Range<UInt32> {
      kernel.deliver(sequence: sequence, byte: UInt8(sequence))
      let frame = try #require(await sink.nextFrame())
      #expect(frame.bytes == Array(repeating: UInt8(sequence), count: Self.frameBytes))
      #expect(kernel.queuedCount == 3)
      #expect(pool.usage.allocated == Self.frameBytes)
      // The capture thread looks for returned buffers before it asks for a frame. It has to be past both before this
      // frame goes, or else it could ask the next frame's buffer of the driver while it takes this one for lent.
      try await kernel.dequeued.wait { $0.last == .some(nil) && $0.contains(sequence) }
    }
    #expect(grown == 0)
    await source.stop()
  }

  /// Readers that keep frames get more of the driver's buffers, and copies when there are no more. The driver always
  /// has its least number.
  @Test func heldFramesDoNotStarveTheDriver() async throws {
    kernel.change { $0.mostBuffers = 6 }
    let source = try await start()
    var held: [Frame] = []
    for sequence in 0..<20 as Range<UInt32> {
      kernel.deliver(sequence: sequence, byte: UInt8(sequence))
      held.append(try #require(await sink.nextFrame()))
      #expect(kernel.queuedCount == 3)
    }
    #expect(held.map(\.sequence) == Array(0..<20))
    #expect(held.map { $0.bytes.first } == Array(0..<20))
    #expect(grown == 3, "two buffers, and one that the driver refused")
    await source.stop()
  }

  /// The driver's new buffers count against the budget of the frames.
  @Test func theBudgetBoundsTheBuffers() async throws {
    let source = try await start(FramePool(budget: Self.frameBytes))
    kernel.deliver(sequence: 0)
    let held = try #require(await sink.nextFrame())
    kernel.deliver(sequence: 1)
    while kernel.queuedCount < 3 { await Task.yield() }
    #expect(held.sequence == 0)
    kernel.deliver(sequence: 2)
    while kernel.queuedCount < 3 { await Task.yield() }
    #expect(grown == 0)
    await source.stop()
  }

  /// The end of the stream detaches the memory of a frame from the device. The memory is unmapped with the frame.
  @Test func aFrameOutlivesItsStream() async throws {
    let source = try await start()
    kernel.deliver(sequence: 0, byte: 0x33)
    var held = await sink.nextFrame()
    let before = kernel.log.count
    await source.stop()
    #expect(
      Array(kernel.log[before...])
        == ["VIDIOC_STREAMOFF", "mremap", "munmap", "munmap", "munmap", "VIDIOC_REQBUFS 0", "close"])
    #expect(held?.bytes == Array(repeating: 0x33, count: Self.frameBytes))
    held = nil
    #expect(kernel.log.last == "munmap")
  }

  /// A driver that returns the buffer of a frame has failed, because it may write into the frame.
  @Test func aDriverThatReturnsALentBufferFails() async throws {
    let source = try await start()
    kernel.deliver(sequence: 0)
    let held = try #require(await sink.nextFrame())
    kernel.deliver(sequence: 1, index: 0)
    #expect(await sink.end()?.reason == .deviceFailed)
    #expect(held.sequence == 0)
    await source.stop()
  }

  /// A picture is copied when the driver left out padding, which would be what an earlier picture left there.
  @Test func aPictureWithoutItsPaddingIsCopied() async throws {
    kernel.change { $0.padding = 32 }
    let source = try await start()
    kernel.deliver(sequence: 0, byte: 0x77, bytesUsed: [160 * 47 + 128])
    let frame = try #require(await sink.nextFrame())
    #expect(frame.bytes.suffix(33) == [0x77] + Array(repeating: 0, count: 32))
    #expect(kernel.queuedCount == 4)
    await source.stop()
  }

  /// Programs on the local socket need memory with a descriptor, which the driver's buffers do not have.
  @Test func aPictureForOtherProgramsIsCopied() async throws {
    let memory = FrameMemory(
      allocate: { .init(base: .allocate(byteCount: $0, alignment: 4096), capacity: $0, descriptor: 0) },
      free: { UnsafeMutableRawPointer(bitPattern: $0.base)!.deallocate() }, hasDescriptors: true)
    let source = try await start(FramePool(budget: 1 << 20, memory: memory))
    kernel.deliver(sequence: 0, byte: 0x21)
    let frame = try #require(await sink.nextFrame())
    #expect(frame.bytes.first == 0x21)
    #expect(frame.buffer.slab.descriptor == 0)
    #expect(kernel.queuedCount == 4)
    await source.stop()
  }
}

/// The memory of a frame after its stream, with the running kernel.
@Suite struct DetachedMappingTests {
  /// Detached memory has the same bytes at the same address, and does not follow the device any more.
  @Test func detachedMemoryKeepsItsBytes() throws {
    let length = 3 * Int(getpagesize())
    let stream = try #require(tmpfile())
    defer { fclose(stream) }
    let file = fileno(stream)
    #expect(ftruncate(file, length) == 0)
    let base = try LinuxSyscalls().map(file, length: length, offset: 0)
    defer { LinuxSyscalls().unmap(base, length: length) }
    memset(base, 1, length)
    try LinuxSyscalls().detach(base, length: length)
    var other: UInt8 = 2
    #expect(pwrite(file, &other, 1, 0) == 1)
    #expect(UnsafeRawBufferPointer(start: base, count: length).allSatisfy { $0 == 1 })
  }
}
