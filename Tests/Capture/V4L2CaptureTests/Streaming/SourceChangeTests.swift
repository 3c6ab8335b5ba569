import CV4L2
import CaptureCore
import CaptureTestKit
import Glibc
import Testing

@testable import V4L2Capture

/// A camera with an HDMI input, whose source changes and whose signal comes and goes.
@Suite(.timeLimit(.minutes(1))) struct SourceChangeTests {
  private static let small = Size(width: 64, height: 48)
  private static let large = Size(width: 128, height: 96)
  private let kernel = FakeKernel()
  private let sink = StallSink()

  init() { kernel.change { $0.signal = FakeKernel.Signal(size: Self.small) } }

  private func start() async throws -> V4L2Source {
    let request = StreamRequest(pixelFormat: .yuyv, size: Self.small, frameRate: Rational(30, 1))
    return try await V4L2Source(
      CaptureThread.Assignment(
        deviceID: "cam", path: "/dev/video0", interface: .singlePlanar, request: request.neverStalling,
        pool: FramePool(budget: 1 << 20), sink: sink, syscalls: kernel, isPresent: { true }, didClose: { _ in }))
  }

  @Test("field B1: a change of the source ends the stream, told before the device is closed")
  func aChangeEndsTheStream() async throws {
    let source = try await start()
    kernel.deliver(sequence: 0)
    _ = try await sink.frames.wait(count: 1)
    kernel.changeSource { $0.size = Self.large }
    let stalls = try await sink.stalls.wait(count: 1)
    #expect(stalls.map(\.reason) == [.formatNotSupported])
    #expect(try await sink.ends.wait(count: 1) == stalls)
    #expect(kernel.openCount == 0)
    await source.stop()
  }

  /// A driver may tell of other changes than of the size. The stream goes on.
  @Test func anEventWithoutAnotherSizeChangesNothing() async throws {
    let source = try await start()
    kernel.changeSource(flags: 0)
    // The thread handles the event before the frame.
    kernel.deliver(sequence: 0)
    _ = try await sink.frames.wait(count: 1)
    #expect(sink.stalls.count == 0)
    await source.stop()
  }

  @Test(
    "field B1: a signal that goes is named",
    arguments: [(ENOLINK, "no signal"), (ENOLCK, "not stable"), (ERANGE, "cannot capture")])
  func aSignalThatGoesIsNamed(errno: Int32, text: String) async throws {
    let source = try await start()
    kernel.changeSource { $0.error = errno }
    let error = try #require(try await sink.ends.wait(count: 1).first)
    #expect(error.reason == .noSignal && error.message.contains(text))
    #expect(error.metadata["errno"] == Errno(errno).name)
    await source.stop()
    await #expect {
      _ = try await start()
    } throws: {
      ($0 as? CaptureError)?.reason == .noSignal
    }
    #expect(kernel.openCount == 0)
  }

  /// The timings are set before the format, so the format is that of the signal.
  @Test func theTimingsFollowTheSignal() async throws {
    kernel.change { $0.insistsOn = Self.large }
    try await start().stop()
    #expect(kernel.log.prefix(3) == ["open", "VIDIOC_S_DV_TIMINGS", "VIDIOC_S_FMT"])
  }

  @Test func aDriverWithoutTheEventStreamsAsWell() async throws {
    kernel.change { $0.signal?.isTold = false }
    let source = try await start()
    kernel.deliver(sequence: 0)
    _ = try await sink.frames.wait(count: 1)
    await source.stop()
  }

  /// What a probe lists is what the source sends, and no signal is no reason not to list the camera.
  @Test(arguments: [nil, ENOLINK]) func aProbeListsTheSizeOfTheSignal(error: Int32?) throws {
    kernel.change {
      $0.formats = [FakeKernel.Format("YUYV")]
      $0.signal = FakeKernel.Signal(size: Self.large, error: error)
    }
    guard case .camera(let node) = NodeProbe.look(at: "/dev/video0", hardware: nil, with: kernel) else {
      throw CaptureError(.deviceNotFound, "The node is no camera.")
    }
    #expect(node.formats.map(\.largestSize) == [error == nil ? Self.large : Self.small])
  }

  /// Errnos of the signal mean something only in the answer about the timings.
  @Test func onlyTheTimingsTellOfTheSignal() {
    func lacks(_ request: VideoRequest, _ errno: Int32) -> Bool {
      VideoNodeError(call: request.name, errno: Errno(errno)).lacksSignal
    }
    #expect(lacks(.queryTimings, ENOLINK) && lacks(.setTimings, ERANGE))
    #expect(!lacks(.setFormat, ENOLINK) && !lacks(.queryTimings, ENODATA) && !lacks(.setTimings, EBUSY))
  }
}
