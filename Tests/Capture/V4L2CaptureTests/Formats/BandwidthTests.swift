import CaptureCore
import CaptureSessions
import CaptureTestKit
import Glibc
import Logging
import Testing

@testable import V4L2Capture

/// Sessions on USB buses without room: the error of a full bus, and the rate that counts for the cost.
@Suite(.timeLimit(.minutes(1))) struct BandwidthTests {
  @Test("E1: ENOSPC at STREAMON names the bus and what would fit") func aFullBusIsNamed() async throws {
    let files = TemporaryTree()
    files.addUSBCamera(0, serial: "A1")
    // The camera uses bulk transfers, so it has no alternate settings.
    files.addLink(0, bus: 3, speed: "480", [])
    let kernel = FakeKernel()
    kernel.change { camera in
      camera.busInfo = "usb-0000:00:14.0-1"
      camera.formats = [
        FakeKernel.Format(
          "YUYV", sizes: [.discrete(Size(width: 64, height: 48)), .discrete(Size(width: 32, height: 24))])
      ]
    }
    kernel.fail("VIDIOC_STREAMON", with: ENOSPC)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let provider = V4L2DeviceProvider(logger: logger, tree: files.tree, syscalls: kernel)
    let sessions = SessionRegistry(
      devices: DeviceRegistry(providers: [provider]), logger: logger, makeComposition: FakeComposition.make
    ) { output, _ in
      FakeOutput(id: output.id)
    }
    let session = try await sessions.create(id: "s", idleTimeout: 0)
    var configuration = SessionConfiguration()
    configuration.inputs = [.init(deviceID: "046d-0825-a1")]
    configuration.preview = .init()
    _ = try await session.configure(configuration, etag: "", validateOnly: false)

    let error = await #expect(throws: CaptureError.self) { _ = try await session.start(requestedAt: 0) }
    #expect(error?.reason == .bandwidthExceeded)
    #expect(error?.metadata["errno"] == "ENOSPC")
    #expect(error?.metadata["bus"] == "3")
    #expect(error?.metadata["fits"] == "YUYV 64x48@15, YUYV 32x24@30")
    #expect(kernel.openCount == 0)
    // The bus has room again, and nothing of the refusal is left.
    #expect(try await session.start(requestedAt: 0).status.state == .running)
    _ = try await session.stop(etag: "")
  }

  @Test("E1: a bus is charged for the rate that the driver confirmed") func theConfirmedRateIsCharged() async throws {
    let files = TemporaryTree()
    for camera in 0..<2 {
      files.addUSBCamera(camera, serial: "S\(camera)")
      files.addLink(camera, bus: 3, speed: "480", [])
    }
    let kernel = FakeKernel()
    kernel.change { camera in
      camera.busInfo = "usb-0000:00:14.0-1"
      camera.insistsOnDuration = Rational(1, 15)
    }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let provider = V4L2DeviceProvider(logger: logger, tree: files.tree, syscalls: kernel)
    let sessions = SessionRegistry(
      devices: DeviceRegistry(providers: [provider]), logger: logger, makeComposition: FakeComposition.make
    ) { output, _ in
      FakeOutput(id: output.id)
    }
    func session(_ serial: String) async throws -> CaptureSession {
      var configuration = SessionConfiguration()
      configuration.inputs = [.init(deviceID: "046d-0825-" + serial, frameRate: Rational(30, 1))]
      configuration.preview = .init()
      let session = try await sessions.create(id: serial, idleTimeout: 0)
      _ = try await session.configure(configuration, etag: "", validateOnly: false)
      return session
    }
    func bus(_ session: CaptureSession) async throws -> ConfigurationCost.Component {
      try #require(await session.snapshot().cost.components.first { $0.resource == .usbBandwidth })
    }
    let (first, second) = (try await session("s0"), try await session("s1"))
    let (asked, room) = (try await bus(first).demand, try await bus(second).capacity)
    _ = try await first.start(requestedAt: 0)
    #expect(try await bus(first).demand == asked / 2)
    #expect(try await bus(second).capacity == room - asked / 2)
    _ = try await first.stop(etag: "")
  }
}
