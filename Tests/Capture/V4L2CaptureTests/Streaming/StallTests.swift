import CV4L2
import CaptureCore
import CaptureTestKit
import Glibc
import Testing

@testable import V4L2Capture

/// A camera that stays connected and fills no buffer. The patience is a millisecond or two, so that the tests do not
/// wait.
@Suite(.timeLimit(.minutes(1))) struct StallTests {
  private let kernel = FakeKernel()
  private let sink = StallSink()

  private func start(
    _ patience: StallPatience, rate: Rational = Rational(100_000, 1), syscalls: (any Syscalls)? = nil
  ) async throws -> V4L2Source {
    var request = StreamRequest(pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: rate)
    request.patience = patience
    kernel.change {
      $0.formats = [.init("YUYV", sizes: [.discrete(request.size)], durations: .discrete([rate.reciprocal]))]
    }
    return try await V4L2Source(
      CaptureThread.Assignment(
        deviceID: "cam", path: "/dev/video0", interface: .singlePlanar, request: request,
        pool: FramePool(budget: 1 << 20), sink: sink, syscalls: syscalls ?? kernel, isPresent: { true },
        didClose: { _ in }))
  }

  /// Gives the camera an exposure control with this range, set to `value`. Both are in units of 100 µs.
  private func setExposure(_ value: Int32, of range: ClosedRange<Int64>) {
    let id = CV4L2_CID_EXPOSURE_ABSOLUTE
    kernel.change {
      $0.extendedControls = [
        FakeControl(id, "Exposure Time, Absolute", V4L2_CTRL_TYPE_INTEGER, range, default: range.lowerBound)
      ]
      $0.controls = [id: value]
    }
  }

  @Test("A12: a first frame that never comes is a stall, told before the device is closed")
  func aFirstFrameThatNeverComes() async throws {
    let source = try await start(StallPatience(betweenFrames: 0, firstFrame: 1_000_000))
    let stalls = try await sink.stalls.wait(count: 1)
    let ends = try await sink.ends.wait(count: 1)
    #expect(stalls.map(\.reason) == [.deviceNotResponding])
    #expect(ends == stalls)
    #expect(kernel.log.suffix(7).first == "VIDIOC_STREAMOFF")
    #expect(kernel.openCount == 0)
    await source.stop()
    #expect(sink.ends.count == 1)
  }

  @Test("A12: a camera that stops in a running stream has stalled") func aCameraThatStops() async throws {
    let source = try await start(
      StallPatience(betweenFrames: 1_000_000, firstFrame: 3_600_000_000_000))
    kernel.deliver(sequence: 0)
    #expect(try await sink.ends.wait(count: 1).map(\.reason) == [.deviceNotResponding])
    #expect(sink.frames.count == 1)
    await source.stop()
  }

  @Test("A12: a camera that delivers only damaged pictures has stalled, and each damaged picture is reported at once")
  func nothingButDamage() async throws {
    let camera = RestlessCamera(kernel)
    let source = try await start(
      StallPatience(betweenFrames: 1_000_000, firstFrame: 3_600_000_000_000), syscalls: camera)
    let stall = try #require(try await sink.stalls.wait(count: 1).first)
    #expect(stall.reason == .deviceNotResponding)
    #expect(sink.damaged.count > 0)
    #expect(stall.metadata["damaged_pictures"] == "\(sink.damaged.count)")
    #expect(sink.frames.count == 1)
    await source.stop()
  }

  @Test("A12: a long exposure that was set since the last frame is no stall") func aLongExposureIsNoStall() async throws
  {
    setExposure(1_000_000, of: 1...1_000_000)
    let source = try await start(StallPatience(betweenFrames: 0, firstFrame: 1_000_000))
    // The capture thread asked for the exposure when the patience was over. The answer moves the end of the patience by
    // 600 s, which is ten periods of 60 s, the longest exposure that counts.
    _ = try await kernel.asked.wait(count: 1)
    #expect(sink.stalls.count == 0)
    kernel.deliver(sequence: 0)
    _ = try await sink.frames.wait(count: 1)
    await source.stop()
    #expect(sink.stalls.count == 0)
    #expect(sink.ends.count == 0)
  }

  @Test("A12: a camera that cannot expose for long is not asked") func aShortExposureIsNotAskedFor() async throws {
    setExposure(5, of: 1...5)
    let source = try await start(StallPatience(betweenFrames: 0, firstFrame: 2_000_000))
    _ = try await sink.ends.wait(count: 1)
    #expect(kernel.asked.count == 0)
    await source.stop()
  }
}

/// The fake kernel with a camera that has a picture whenever its caller waits for one: first a whole picture, and then
/// damaged ones.
private final class RestlessCamera: Syscalls {
  private let kernel: FakeKernel
  private let next = Locked<UInt32>(0)

  init(_ kernel: FakeKernel) { self.kernel = kernel }

  func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(Errno) {
    let sequence = next.withLock { next in
      defer { next += 1 }
      return next
    }
    let damage = sequence == 0 ? 0 : V4L2_BUF_FLAG_ERROR
    kernel.deliver(sequence: sequence, flags: V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | damage)
    try kernel.poll(&descriptors, milliseconds: milliseconds)
  }

  func open(_ path: String) throws(Errno) -> Int32 { try kernel.open(path) }

  func close(_ descriptor: Int32) { kernel.close(descriptor) }

  func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno) {
    try kernel.ioctl(descriptor, request, argument)
  }

  func map(_ descriptor: Int32, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer {
    try kernel.map(descriptor, length: length, offset: offset)
  }

  func unmap(_ base: UnsafeMutableRawPointer, length: Int) { kernel.unmap(base, length: length) }

  func detach(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno) { try kernel.detach(base, length: length) }
}
