import CaptureCore
import CaptureSession
import CaptureTestKit
import Glibc
import Logging
import Testing

@testable import V4L2Capture

/// What a session's calls cost the driver.
@Suite(.timeLimit(.minutes(1))) struct SessionOnFakeKernelTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()

  private func makeSession() async throws -> CaptureSession {
    files.write("dev/video0")
    kernel.change {
      let sizes: [DeviceFormat.FrameSize] = [
        .discrete(Size(width: 64, height: 48)), .discrete(Size(width: 32, height: 24)),
      ]
      $0.formats = [.init("YUYV", sizes: sizes)]
    }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let provider = V4L2DeviceProvider(logger: logger, tree: files.tree, syscalls: kernel)
    let sessions = SessionRegistry(devices: DeviceRegistry(providers: [provider]), logger: logger) { output, _ in
      FakeOutput(id: output.id)
    }
    return try await sessions.create(id: "s", idleTimeout: 0)
  }

  private func configuration(_ width: Int, _ height: Int, id: String? = nil) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    let format = SessionConfiguration.Format(pixelFormat: .yuyv, size: Size(width: width, height: height))
    configuration.inputs = [.init(id: id, deviceID: "fake-000", format: format)]
    configuration.preview = .init()
    configuration.photo = .init()
    return configuration
  }

  private func count(_ call: String) -> Int { kernel.log.filter { $0.hasPrefix(call) }.count }

  @Test("A9: one commit and one start set the format once") func aLaunchSetsTheFormatOnce() async throws {
    let session = try await makeSession()
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: true)
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    #expect(count("VIDIOC_S_") == 0, "a stopped session only tries")
    #expect(kernel.openCount == 0)
    _ = try await session.start(requestedAt: 0)
    #expect((count("VIDIOC_S_FMT"), count("VIDIOC_S_PARM"), count("VIDIOC_STREAMON")) == (1, 1, 1))

    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    _ = try await session.configure(configuration(64, 48, id: "front"), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    #expect((count("VIDIOC_S_FMT"), count("VIDIOC_STREAMON")) == (1, 1), "none of this concerns the driver")

    _ = try await session.configure(configuration(32, 24), etag: "", validateOnly: false)
    #expect((count("VIDIOC_S_FMT"), count("VIDIOC_STREAMON")) == (2, 2))
    _ = try await session.stop(etag: "")
    #expect(kernel.openCount == 0)
  }

  @Test("C4: a commit asks for what the cameras offer only when that is not known to do")
  func aCommitGoesByWhatIsKnown() async throws {
    let session = try await makeSession()
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    let known = kernel.formatQuestions
    #expect(known > 0, "the provider looked at it first")
    _ = try await session.configure(configuration(32, 24), etag: "", validateOnly: false)
    #expect(kernel.formatQuestions == known)
    // As a capture card whose source changed: no event tells.
    kernel.change { $0.formats = [.init("YUYV", sizes: [.discrete(Size(width: 128, height: 96))])] }
    _ = try await session.configure(configuration(128, 96), etag: "", validateOnly: false)
    #expect(kernel.formatQuestions > known)
    #expect(await session.snapshot().resolved.input?.request.size == Size(width: 128, height: 96))
  }

  @Test(
    "A9: a driver that refuses half-way gets the former format back",
    arguments: [
      ("VIDIOC_S_FMT", EBUSY, .deviceInUse), ("VIDIOC_S_FMT", EINVAL, .formatNotSupported),
      ("VIDIOC_REQBUFS", EINVAL, .deviceFailed), ("mmap", ENOMEM, .deviceFailed),
      ("VIDIOC_QBUF", EINVAL, .deviceFailed), ("VIDIOC_STREAMON", ENOSPC, .bandwidthExceeded),
    ] as [(String, Int32, CaptureError.Reason)])
  func aDriverThatRefusesHalfWay(_ call: String, _ errno: Int32, _ reason: CaptureError.Reason) async throws {
    let session = try await makeSession()
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    let before = await session.snapshot()
    // The former format's buffers are given back by the same call; that nobody minds.
    if call == "VIDIOC_REQBUFS" { kernel.fail(call, with: errno) }
    kernel.fail(call, with: errno)
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.configure(configuration(32, 24), etag: before.etag, validateOnly: false)
    }
    #expect(error?.reason == reason)
    var after = await session.snapshot()
    #expect(after.eventID == before.eventID + 2, "it was told that the camera's reconfiguration began and ended")
    after.eventID = before.eventID
    #expect(after == before)
    #expect(kernel.openCount == 1)
    let streaming = kernel.log.lastIndex(of: "VIDIOC_STREAMON")
    #expect(kernel.log.endIndex - 1 == streaming, "the former format streams again")
    _ = try await session.stop(etag: "")
  }
}
