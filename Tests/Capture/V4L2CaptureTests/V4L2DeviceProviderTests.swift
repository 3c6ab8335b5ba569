import CV4L2
import CaptureCore
import Glibc
import Logging
import Testing

@testable import V4L2Capture

/// The provider of V4L2 cameras on the fake kernel: its devices, their changes, and its errors.
@Suite(.timeLimit(.minutes(1))) struct V4L2DeviceProviderTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let request = StreamRequest(
    pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: Rational(30, 1)
  ).neverStalling
  private let pool = FramePool(budget: 1 << 20)

  private func provider() -> V4L2DeviceProvider {
    V4L2DeviceProvider(
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, tree: files.tree, syscalls: kernel)
  }

  @Test func camerasThatArePresentAreListed() async {
    let provider = provider()
    #expect(await provider.devices().isEmpty)
    files.write("dev/video0")
    #expect(await provider.devices().map(\.id) == ["fake-000"])
  }

  /// Watchers hear of a new node and of a deleted one without asking.
  @Test func watchersHearOfCamerasThatComeAndGo() async {
    let provider = provider()
    #expect(await provider.devices().isEmpty)
    var changes = provider.changes().makeAsyncIterator()
    files.write("dev/video0")
    #expect(await changes.next()?.kind == .connected)
    files.delete("dev/video0")
    #expect(await changes.next()?.kind == .disconnected)
  }

  /// Resolving a request opens the device, sets nothing and closes the device again.
  @Test func resolvingSetsNothingOnTheDevice() async throws {
    files.write("dev/video0")
    let provider = provider()
    let format = try await provider.resolve(request, on: "fake-000")
    #expect(format.layout == FrameLayout.packed(.yuyv, request.size))
    #expect(format.frameRate == Rational(30, 1))
    #expect(kernel.openCount == 0)
    #expect(!kernel.log.contains { $0.hasPrefix("VIDIOC_S_") })
  }

  /// An unknown id and a size that the driver does not offer each have their own reason.
  @Test func resolvingFailsForAnUnknownDeviceAndForAnotherSize() async {
    files.write("dev/video0")
    let provider = provider()
    let unknown = await #expect(throws: CaptureError.self) { _ = try await provider.resolve(request, on: "nobody") }
    #expect(unknown?.reason == .deviceNotFound)
    kernel.change { $0.insistsOn = Size(width: 16, height: 16) }
    let other = await #expect(throws: CaptureError.self) { _ = try await provider.resolve(request, on: "fake-000") }
    #expect(other?.reason == .formatNotSupported)
  }

  @Test func startingAnUnknownDeviceFails() async {
    let provider = provider()
    let error = await #expect(throws: CaptureError.self) {
      _ = try await provider.start(request, on: "nobody", pool: pool, sink: CollectingSink())
    }
    #expect(error?.reason == .deviceNotFound)
  }

  /// The sink and the watchers hear of the loss, and the watchers hear of the return. A new stream gets a new id.
  @Test func aLostCameraIsReportedToSinkAndWatchersAndComesBack() async throws {
    files.write("dev/video0")
    let provider = provider()
    #expect(await provider.devices().count == 1)
    var changes = provider.changes().makeAsyncIterator()
    let sink = CollectingSink()
    let source = try await provider.start(request, on: "fake-000", pool: pool, sink: sink)
    kernel.disconnect()
    #expect(await sink.end()?.reason == .deviceDisconnected)
    #expect(await changes.next()?.kind == .disconnected)
    #expect(await provider.devices().isEmpty)
    // No event tells that the camera is back, so the provider asks the driver about once a second.
    kernel.reconnect()
    #expect(await changes.next()?.kind == .connected)
    await source.stop()
    let again = try await provider.start(request, on: "fake-000", pool: pool, sink: CollectingSink())
    #expect(again.streamID > source.streamID)
    await again.stop()
    #expect(kernel.openCount == 0)
  }

  @Test("a failed open has the reason of the same failure of a later call", arguments: [true, false])
  func aNodeThatCannotBeOpened(isPresent: Bool) async throws {
    files.addUSBCamera(0, serial: "A")
    let provider = provider()
    let id = try #require(await provider.devices().first).id
    // In a container, the node of an unplugged camera stays.
    if !isPresent { files.rename("sys/devices/usb1/1-1/1-1:1.0", to: "sys/devices/gone") }
    kernel.fail("open", with: EIO, EIO, EIO)
    let errors = [
      await #expect(throws: CaptureError.self) { _ = try await provider.resolve(request, on: id) },
      await #expect(throws: CaptureError.self) { _ = try await provider.controls(of: id) },
      await #expect(throws: CaptureError.self) {
        _ = try await provider.start(request, on: id, pool: pool, sink: CollectingSink())
      },
    ]
    let reason = isPresent ? CaptureError.Reason.deviceNotResponding : .deviceDisconnected
    #expect(errors.map { $0?.reason } == Array(repeating: reason, count: 3))
  }

  @Test("a camera that loses its permission fails like one that never had it", arguments: [EACCES, EPERM])
  func aNodeThatMayNotBeOpenedAnyMore(errno: Int32) async throws {
    files.addUSBCamera(0, serial: "A")
    let provider = provider()
    let id = try #require(await provider.devices().first).id
    let refusal = AccessRefusal(of: files.root + "/dev/video0", Errno(errno)).error(device: id)
    kernel.fail("open", with: errno, errno)
    let errors = [
      await #expect(throws: CaptureError.self) { _ = try await provider.resolve(request, on: id) },
      await #expect(throws: CaptureError.self) {
        _ = try await provider.start(request, on: id, pool: pool, sink: CollectingSink())
      },
    ]
    #expect(errors == [refusal, refusal])
  }

  @Test("SetControls: a camera that does not answer is waited for once")
  func aCameraThatDoesNotAnswerIsSetOnce() async throws {
    files.write("dev/video0")
    files.makeDirectory("sys/class/leds/white:flash")
    files.write("sys/class/leds/white:flash/brightness", "0\n")
    files.write("sys/class/leds/white:flash/max_brightness", "1\n")
    kernel.change {
      $0.extendedControls = [
        FakeControl(0x0098_0900, "Brightness", V4L2_CTRL_TYPE_INTEGER, 0...9),
        FakeControl(0x0098_0901, "Contrast", V4L2_CTRL_TYPE_INTEGER, 0...9),
      ]
    }
    let provider = provider()
    // Only the first call fails. The second one would succeed if the provider made it.
    kernel.fail("VIDIOC_S_EXT_CTRLS", with: ETIMEDOUT)
    let results = try await provider.set(
      [
        ControlSetting(control: "brightness", value: .integer(1)),
        ControlSetting(control: "led_mode", value: .integer(2)),
        ControlSetting(control: "contrast", value: .integer(1)),
      ], on: "fake-000")
    let reasons = results.map { result -> CaptureError.Reason? in
      if case .failure(let error) = result.outcome { error.reason } else { nil }
    }
    #expect(reasons == [.deviceNotResponding, nil, .deviceNotResponding], "the LED does not belong to the camera")
    #expect(results.map(\.control) == ["brightness", "led_mode", "contrast"])
    let contrast = try await provider.controls(of: "fake-000").first { $0.id == "contrast" }
    #expect(contrast?.value == .integer(0), "the contrast was not set")
  }

  /// The stream of changes ends when the provider is released.
  @Test func watchersEndWithTheProvider() async {
    var provider: V4L2DeviceProvider? = provider()
    let changes = provider!.changes()
    provider = nil
    for await _ in changes {}
  }
}
