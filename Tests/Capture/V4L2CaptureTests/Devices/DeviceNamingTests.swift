import CaptureCore
import Logging
import Testing

@testable import V4L2Capture

/// The ids and properties that the operator gives to cameras, in a tree of files.
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

  /// Makes a link to a video node, as udev does.
  private func addLink(to number: Int) {
    files.makeDirectory("dev/v4l/by-id")
    files.link("dev/v4l/by-id/usb-camera-index0", to: "dev/video\(number)")
  }

  /// The operator may name a camera by the id that the camera has without the operator's entry. Clients then know the
  /// camera by the operator's id alone.
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

  /// An entry for a place gives its id to every camera that is plugged in there.
  @Test func anEntryForAPlaceNamesEveryCameraThere() {
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

  /// The operator may name a camera by a link of udev that leads to the camera's node.
  @Test func aCameraIsFoundByALink() {
    files.addUSBCamera(0, serial: "A")
    files.addUSBCamera(1, serial: "B")
    addLink(to: 1)
    var catalog = catalog(Entry(link, id: "desk"))
    _ = catalog.rescan()
    #expect(ids(catalog) == ["046d-0825-a", "desk"])
    #expect(catalog.cameras.map(\.identity.links) == [[], [link]])
  }

  /// A camera may have several nodes, and the operator's link may lead to a node that the camera does not stream from.
  @Test func aLinkToAnyNodeOfACameraFindsIt() {
    files.write("dev/video0")
    files.write("dev/video1")
    addLink(to: 1)
    var catalog = catalog(Entry(link, id: "desk"))
    _ = catalog.rescan()
    #expect(ids(catalog) == ["desk"])
    #expect(catalog.cameras.map(\.path) == [files.root + "/dev/video0"])
  }

  /// A camera keeps the operator's id at another port, and after it was lost and came back.
  @Test func aCameraKeepsTheOperatorsIDOverReplugging() {
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

  /// The id of an entry is reserved for the entry's camera, so a camera that would have this id by itself gets another
  /// one.
  @Test func anIDChosenForAnAbsentCameraIsNotGivenToAnother() {
    files.addUSBCamera(0, serial: "A")
    var catalog = catalog(Entry("usb-9", id: "046d-0825-a", isRequired: false))
    _ = catalog.rescan()
    #expect(ids(catalog) == ["046d-0825-a_2"])
  }

  /// udev makes a link some milliseconds after the kernel made the node. The catalog withholds the camera until then,
  /// so that clients do not see the camera under two ids.
  @Test func aCameraThatComesBeforeItsLinkIsNotShownUnderAnotherID() {
    var catalog = catalog(Entry(link, id: "desk", isRequired: false))
    #expect(catalog.rescan().isEmpty)
    files.addUSBCamera(0, serial: "A")
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.hasUnansweredNodes, "otherwise the catalog would not look again")
    addLink(to: 0)
    #expect(catalog.rescan().map(\.device.id) == ["desk"])
    #expect(!catalog.hasUnansweredNodes)
  }

  /// The catalog withholds a new camera only until the next probe, because the camera may have no link. Looks that
  /// events cause do not show the camera earlier.
  @Test func aCameraWithoutALinkIsShownAtTheNextProbe() {
    var catalog = catalog(Entry(link, id: "desk", isRequired: false))
    _ = catalog.rescan()
    files.addUSBCamera(0, serial: "A")
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.rescan().isEmpty, "events come in bursts")
    #expect(catalog.rescanUnansweredNodes().map(\.device.id) == ["046d-0825-a"])
    #expect(!catalog.hasUnansweredNodes)
  }

  /// Cameras that are present at the start of the daemon have their links already, so the catalog withholds none of
  /// them.
  @Test func camerasThatWereThereAtTheStartAreShownAtOnce() {
    files.addUSBCamera(0, serial: "A")
    var catalog = catalog(Entry(link, id: "desk", isRequired: false))
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a"])
    addLink(to: 0)
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a", "desk"], "it left under one id and came by another")
  }

  /// The id of a streaming camera does not change. A new link counts after the stream has ended, and a camera keeps the
  /// id that it got by a link when the link goes.
  @Test func aStreamingCameraIsNotRenamed() {
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
    #expect(catalog.rescan().isEmpty, "a camera with an operator's id keeps the id")
  }

  /// Calls take the operator's id, and do not find a camera by the id that the operator replaced.
  @Test(.timeLimit(.minutes(1))) func callsTakeTheOperatorsID() async throws {
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
