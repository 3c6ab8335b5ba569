import CV4L2
import CaptureCore
import CaptureSessions
import CaptureTestKit
import Glibc
import Logging
import Testing

@testable import V4L2Capture

/// Calls that do not need a camera do not wait for a camera that does not answer.
@Suite(.timeLimit(.minutes(1))) struct SilentCameraTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  private static let (silent, healthy) = ("046d-0825-a", "046d-0825-b")

  private func makeProvider(silentAt call: String) -> (V4L2DeviceProvider, SilentCamera) {
    files.addUSBCamera(0, serial: "A")
    files.addUSBCamera(1, serial: "B")
    kernel.change {
      $0.extendedControls = [FakeControl(0x0098_0900, "Brightness", V4L2_CTRL_TYPE_INTEGER, 0...9)]
    }
    let camera = SilentCamera(files.root + "/dev/video0", silentAt: call, in: kernel)
    return (V4L2DeviceProvider(logger: logger, tree: files.tree, syscalls: camera), camera)
  }

  @Test("A9: calls for what is known wait for no camera") func knownDevicesAreAnsweredAtOnce() async throws {
    let (provider, camera) = makeProvider(silentAt: "VIDIOC_ENUM_FMT")
    #expect(await provider.knownDevices().map(\.id) == [Self.silent, Self.healthy])
    camera.fallSilent()
    async let waiting = provider.devices()
    await camera.isAsked()
    #expect(await provider.knownDevices().map(\.id) == [Self.silent, Self.healthy])
    #expect(await provider.knownDevice(Self.healthy)?.id == Self.healthy)
    #expect(await provider.identities().map(\.id) == [Self.silent, Self.healthy])
    camera.answer()
    #expect(await waiting.count == 2, "the silent camera would be missing after a timeout")
  }

  @Test("A9: no call to another camera waits for one that does not answer") func othersDoNotWait() async throws {
    let (provider, camera) = makeProvider(silentAt: "VIDIOC_G_EXT_CTRLS")
    #expect(await provider.knownDevices().count == 2)
    camera.fallSilent()
    async let waiting = provider.controls(of: Self.silent)
    await camera.isAsked()
    async let next = provider.set([ControlSetting(control: "brightness", value: .integer(3))], on: Self.silent)

    let sessions = SessionRegistry(
      devices: DeviceRegistry(providers: [provider]), logger: logger, makeComposition: FakeComposition.make
    ) { output, _ in
      FakeOutput(id: output.id)
    }
    let session = try await sessions.create(id: "s", idleTimeout: 0)
    var configuration = SessionConfiguration()
    configuration.inputs = [.init(deviceID: Self.healthy)]
    configuration.preview = .init()
    // The photo output asks the camera's controls for its capabilities.
    configuration.photo = .init()
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
    _ = try await session.stop(etag: "")
    #expect(
      try await provider.set([ControlSetting(control: "brightness", value: .integer(2))], on: Self.healthy).count == 1)
    camera.answer()
    // The fake cameras share their controls.
    #expect(try await waiting.first?.value == .integer(2), "the list was asked for before the value 3 was set")
    #expect(try await next.map(\.outcome) == [.success(.integer(3))])
  }

  @Test("C4: prewarming does not ask for formats that the first look found") func prewarmingAsksNothingTwice()
    async throws
  {
    let (provider, _) = makeProvider(silentAt: "nothing")
    #expect(await provider.knownDevices().count == 2)
    let known = kernel.formatQuestions
    await DeviceRegistry(providers: [provider]).prewarm(logger: logger)
    #expect(kernel.formatQuestions == known)
    #expect(kernel.log.filter { $0 == "VIDIOC_TRY_FMT" }.count >= 2)
  }
}
