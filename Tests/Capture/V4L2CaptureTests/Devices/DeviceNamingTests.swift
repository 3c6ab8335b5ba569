import CaptureCore
import Logging
import Testing

@testable import V4L2Capture

/// What the operator calls cameras, in a tree of files.
@Suite struct DeviceNamingTests {
  private typealias Entry = DeviceDirectory.Entry

  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let link = "/dev/v4l/by-id/usb-camera-index0"

  init() { kernel.change { $0.busInfo = "usb-1" } }

  private func catalog(_ entries: Entry...) -> DeviceCatalog {
    DeviceCatalog(
      tree: files.tree, syscalls: kernel, directory: DeviceDirectory(entries),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func ids(_ catalog: DeviceCatalog) -> [String] { catalog.cameras.map(\.device.id) }

  /// As udev makes it.
  private func addLink(to number: Int) {
    files.makeDirectory("dev/v4l/by-id")
    files.link("dev/v4l/by-id/usb-camera-index0", to: "dev/video\(number)")
  }

  @Test func aCameraIsFoundByItsOwnID() {
    files.addUSBCamera(0, serial: "A")
    files.addUSBCamera(1, serial: "B")
    var catalog = catalog(Entry("046d-0825-b", id: "door", position: .front, rotation: .half, label: "Front door"))
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a", "door"])
    let door = catalog.camera("door")?.device
    #expect((door?.position, door?.mountingRotation, door?.label) == (.front, .half, "Front door"))
    #expect(catalog.camera("046d-0825-b") == nil)
    #expect(catalog.cameras.map(\.identity.id) == ["046d-0825-a", "046d-0825-b"])
  }

  @Test func aCameraIsFoundByItsPlaceWhicheverItIs() {
    files.addUSBCamera(0, serial: "A")
    var catalog = catalog(Entry("usb-1", id: "yard"))
    _ = catalog.rescan()
    #expect(ids(catalog) == ["yard"])
    files.delete("dev/video0")
    #expect(catalog.rescan().map(\.kind) == [.disconnected])
    files.addUSBCamera(1, serial: "B")
    let changes = catalog.rescan()
    #expect(changes.map(\.kind) == [.connected])
    #expect(changes.map(\.device.id) == ["yard"])
  }

  @Test func aCameraIsFoundByALink() {
    files.addUSBCamera(0, serial: "A")
    files.addUSBCamera(1, serial: "B")
    addLink(to: 1)
    var catalog = catalog(Entry(link, id: "desk"))
    _ = catalog.rescan()
    #expect(ids(catalog) == ["046d-0825-a", "desk"])
    #expect(catalog.cameras.map(\.identity.links) == [[], [link]])
  }

  @Test func aLinkToAnyNodeOfACameraFindsIt() {
    files.write("dev/video0")
    files.write("dev/video1")
    addLink(to: 1)
    var catalog = catalog(Entry(link, id: "desk"))
    _ = catalog.rescan()
    #expect(ids(catalog) == ["desk"])
    #expect(catalog.cameras.map(\.path) == [files.root + "/dev/video0"])
  }

  @Test func aCameraKeepsItsNameOverReplugging() {
    files.addUSBCamera(0, serial: "A")
    var catalog = catalog(Entry("046d-0825-a", id: "door"))
    _ = catalog.rescan()
    files.delete("dev/video0")
    #expect(catalog.rescan().map(\.device.id) == ["door"])
    files.addUSBCamera(3, serial: "A")
    #expect(catalog.rescan().map(\.device.id) == ["door"], "at another port")
    kernel.disconnect()
    #expect(catalog.rescan().map(\.kind) == [.disconnected])
    kernel.reconnect()
    #expect(catalog.rescanUnansweredNodes().map(\.device.id) == ["door"])
  }

  @Test func anIDChosenForAnAbsentCameraIsNotGivenToAnother() {
    files.addUSBCamera(0, serial: "A")
    var catalog = catalog(Entry("usb-9", id: "046d-0825-a", isRequired: false))
    _ = catalog.rescan()
    #expect(ids(catalog) == ["046d-0825-a_2"])
  }

  @Test func aCameraThatComesBeforeItsLinkIsNotShownByAnotherID() {
    var catalog = catalog(Entry(link, id: "desk", isRequired: false))
    #expect(catalog.rescan().isEmpty)
    files.addUSBCamera(0, serial: "A")
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.hasUnansweredNodes, "or nobody would look again")
    addLink(to: 0)
    #expect(catalog.rescan().map(\.device.id) == ["desk"])
    #expect(!catalog.hasUnansweredNodes)
  }

  @Test func aCameraWithoutALinkIsShownByTheNextProbe() {
    var catalog = catalog(Entry(link, id: "desk", isRequired: false))
    _ = catalog.rescan()
    files.addUSBCamera(0, serial: "A")
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.rescan().isEmpty, "events come in bursts")
    #expect(catalog.rescanUnansweredNodes().map(\.device.id) == ["046d-0825-a"])
    #expect(!catalog.hasUnansweredNodes)
  }

  @Test func camerasThatWereThereAtTheStartAreShownAtOnce() {
    files.addUSBCamera(0, serial: "A")
    var catalog = catalog(Entry(link, id: "desk", isRequired: false))
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a"])
    addLink(to: 0)
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a", "desk"], "it went by one id and came by the other")
  }

  @Test func aRunningStreamIsNotRenamed() {
    files.addUSBCamera(0, serial: "A")
    var catalog = catalog(Entry(link, id: "desk", isRequired: false))
    _ = catalog.rescan()
    catalog.streamWillStart(files.root + "/dev/video0")
    addLink(to: 0)
    #expect(catalog.rescan().isEmpty)
    _ = catalog.streamDidEnd(files.root + "/dev/video0", nil)
    _ = catalog.rescan()
    #expect(ids(catalog) == ["desk"])
    files.delete("dev/v4l/by-id/usb-camera-index0")
    #expect(catalog.rescan().isEmpty, "and one with a name keeps it")
  }

  @Test(.timeLimit(.minutes(1))) func callsTakeTheChosenID() async throws {
    files.addUSBCamera(0, serial: "A")
    let provider = V4L2DeviceProvider(
      directory: DeviceDirectory([Entry("046d-0825-a", id: "door")]),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, tree: files.tree, syscalls: kernel)
    #expect(await provider.devices().map(\.id) == ["door"])
    #expect(await provider.identities() == [DeviceIdentity(id: "046d-0825-a", location: "usb-1")])
    let request = StreamRequest(
      pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: Rational(30, 1))
    _ = try await provider.resolve(request, on: "door")
    let error = await #expect(throws: CaptureError.self) {
      _ = try await provider.resolve(request, on: "046d-0825-a")
    }
    #expect(error?.reason == .deviceNotFound)
  }
}
