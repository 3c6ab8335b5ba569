import CaptureCore
import Logging
import Testing

@testable import V4L2Capture

@Suite(.timeLimit(.minutes(1))) struct V4L2DeviceProviderTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let request = StreamRequest(
    pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: Rational(30, 1))
  private let pool = FramePool(budget: 1 << 20)

  private func provider() -> V4L2DeviceProvider {
    V4L2DeviceProvider(
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, tree: files.tree, syscalls: kernel)
  }

  @Test func listsWhatIsThere() async {
    let provider = provider()
    #expect(await provider.devices().isEmpty)
    files.write("dev/video0")
    #expect(await provider.devices().map(\.id) == ["fake-000"])
  }

  @Test func watchersHearOfNodes() async {
    let provider = provider()
    #expect(await provider.devices().isEmpty)
    var changes = provider.changes().makeAsyncIterator()
    files.write("dev/video0")
    #expect(await changes.next()?.kind == .connected)
    files.delete("dev/video0")
    #expect(await changes.next()?.kind == .disconnected)
  }

  @Test func resolveLeavesTheDeviceAlone() async throws {
    files.write("dev/video0")
    let provider = provider()
    let format = try await provider.resolve(request, on: "fake-000")
    #expect(format.layout == FrameLayout.packed(.yuyv, request.size))
    #expect(format.frameRate == Rational(30, 1))
    #expect(kernel.openCount == 0)
    #expect(!kernel.log.contains { $0.hasPrefix("VIDIOC_S_") })
  }

  @Test func resolveErrors() async {
    files.write("dev/video0")
    let provider = provider()
    let unknown = await #expect(throws: CaptureError.self) { _ = try await provider.resolve(request, on: "nobody") }
    #expect(unknown?.reason == .deviceNotFound)
    kernel.change { $0.insistsOn = Size(width: 16, height: 16) }
    let other = await #expect(throws: CaptureError.self) { _ = try await provider.resolve(request, on: "fake-000") }
    #expect(other?.reason == .formatNotSupported)
  }

  @Test func startOfAnUnknownDevice() async {
    let provider = provider()
    let error = await #expect(throws: CaptureError.self) {
      _ = try await provider.start(request, on: "nobody", pool: pool, sink: CollectingSink())
    }
    #expect(error?.reason == .deviceNotFound)
  }

  @Test func aLostCameraIsReportedByBothAndComesBack() async throws {
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
    // No event tells of it: the provider asks, about once a second.
    kernel.reconnect()
    #expect(await changes.next()?.kind == .connected)
    await source.stop()
    let again = try await provider.start(request, on: "fake-000", pool: pool, sink: CollectingSink())
    #expect(again.streamID > source.streamID)
    await again.stop()
    #expect(kernel.openCount == 0)
  }

  @Test func watchersEndWithTheProvider() async {
    var provider: V4L2DeviceProvider? = provider()
    let changes = provider!.changes()
    provider = nil
    for await _ in changes {}
  }
}
