import CaptureCore
import Testing

/// Tests which id and which settings a camera gets from the operator's directory. Clients store these ids, so a camera
/// must keep its id and must not get the id of another camera.
@Suite struct DeviceDirectoryTests {
  private typealias Entry = DeviceDirectory.Entry
  private typealias Naming = DeviceDirectory.Naming

  private let door = DeviceIdentity(id: "046d-0825-a", location: "usb-1", links: ["/dev/v4l/by-id/a"])
  private let yard = DeviceIdentity(id: "046d-0825-b", location: "usb-2")

  /// The ids that a directory of `entries` gives to `cameras`.
  private func ids(_ entries: [Entry], _ cameras: DeviceIdentity...) -> [String] {
    DeviceDirectory(entries).name(cameras).map(\.id)
  }

  /// A camera that no entry matches is called by its own id.
  @Test func aCameraWithoutAnEntryKeepsItsOwnID() {
    #expect(ids([], door, yard) == [door.id, yard.id])
    #expect(ids([Entry("another", id: "desk")], door) == [door.id])
  }

  /// An entry finds its camera by the camera's own id, by its location, and by a link to its node. The order in which
  /// the cameras are listed does not matter.
  @Test(arguments: ["046d-0825-a", "usb-1", "/dev/v4l/by-id/a"])
  func aCameraIsFoundByIDLocationOrLink(_ key: String) {
    #expect(ids([Entry(key, id: "door")], door, yard) == ["door", yard.id])
    #expect(ids([Entry(key, id: "door")], yard, door) == [yard.id, "door"])
  }

  /// The settings of an entry replace those of the hardware. A setting that the entry leaves out keeps the value of the
  /// hardware, and an entry for another camera changes nothing.
  @Test func settingsOfAnEntryReplaceThoseOfTheHardware() {
    let plain = Device(
      id: door.id, displayName: "Cam", type: .external, position: .back, driver: "fake", location: "usb-1", formats: [])
    func applied(_ entry: Entry) -> Device { DeviceDirectory([entry]).name([door])[0].applied(to: plain) }
    let all = applied(Entry(door.id, id: "door", position: .front, rotation: .half, label: "Front door"))
    #expect((all.id, all.position, all.mountingRotation, all.label) == ("door", .front, .half, "Front door"))
    #expect((all.displayName, all.location) == ("Cam", "usb-1"))
    var labelled = plain
    labelled.label = "Front door"
    #expect(applied(Entry(door.id, label: "Front door")) == labelled, "a setting that the entry leaves out stays")
    #expect(applied(Entry("another", id: "x", rotation: .half)) == plain)
  }

  /// An id that the operator chose for one camera goes to no other camera, even while the chosen camera is absent. A
  /// camera whose own id was chosen for another camera gets a number behind its id.
  @Test func aChosenIDIsReservedWhileItsCameraIsAbsent() {
    let entries = [Entry("usb-9", id: yard.id)]
    #expect(ids(entries, door, yard) == [door.id, "046d-0825-b_2"])
    #expect(ids([Entry("usb-1", id: yard.id)], door, yard) == [yard.id, "046d-0825-b_2"])
    #expect(
      ids([Entry(yard.id, id: yard.id)], door, yard) == [door.id, yard.id],
      "the camera that the id was chosen for gets it")
  }

  /// When the number behind an id makes the own id of another camera, both cameras still get different ids.
  @Test func aNumberedIDDoesNotClashWithTheOwnIDOfAnotherCamera() {
    let third = DeviceIdentity(id: "046d-0825-b_2", location: "usb-3")
    let named = ids([Entry("usb-9", id: yard.id)], yard, third)
    #expect(named == ["046d-0825-b_2", "046d-0825-b_2_2"])
  }

  /// When several entries match one camera, an entry with the camera's own id comes first, then one with a link, then
  /// one with the location: the camera counts more than the place where it is plugged in.
  @Test func anEntryByIDGoesBeforeALinkAndALocation() {
    let entries = [Entry("usb-1", id: "place"), Entry("/dev/v4l/by-id/a", id: "link"), Entry(door.id, id: "thing")]
    #expect(ids(entries, door) == ["thing"])
    #expect(ids([entries[0], entries[1]], door) == ["link"])
  }

  /// When two cameras have the same location, as the colour and infrared cameras of one housing do, the first one gets
  /// the entry and the other one keeps its own id.
  @Test func theFirstOfTwoCamerasAtALocationGetsTheEntry() {
    let infrared = DeviceIdentity(id: "046d-0825-a.2", location: "usb-1")
    #expect(ids([Entry("usb-1", id: "door")], door, infrared) == ["door", infrared.id])
  }

  /// A camera that is present keeps its id although the link that gave the id is gone. A camera that comes anew without
  /// the link gets the id of its location.
  @Test func aCameraKeepsItsIDWhileItIsPresent() {
    let directory = DeviceDirectory([Entry("usb-1", id: "door"), Entry("/dev/v4l/by-id/a", id: "link")])
    var moved = door
    moved.links = []
    let first = directory.name([door])
    #expect(first.map(\.id) == ["link"])
    #expect(directory.name([moved], present: [door.id: first[0]]) == first)
    #expect(directory.name([moved]).map(\.id) == ["door"])
  }

  /// A link may appear after its camera. The link then names the camera, unless the camera streams under its present
  /// id. A camera without a present id gets the name even when its own id is among those that stream.
  @Test func aLinkThatAppearsLateNamesACameraThatDoesNotStream() {
    let directory = DeviceDirectory([Entry("/dev/v4l/by-id/a", id: "desk")])
    var early = door
    early.links = []
    let before = directory.name([early])
    #expect(before.map(\.id) == [door.id])
    #expect(directory.name([door], present: [door.id: before[0]]).map(\.id) == ["desk"])
    #expect(directory.name([door], present: [door.id: before[0]], streaming: [door.id]).map(\.id) == [door.id])
    #expect(
      directory.name([door], streaming: [door.id]).map(\.id) == ["desk"],
      "the stream belongs to the camera that had this own id before")
  }

  /// A camera that is present keeps its numbered id when a camera appears whose own id is the same. The new camera gets
  /// another number.
  @Test func aNumberedIDStaysWhileTheCameraIsPresent() {
    let directory = DeviceDirectory([Entry("usb-9", id: yard.id)])
    let before = directory.name([yard])
    let other = DeviceIdentity(id: "046d-0825-b_2", location: "usb-3")
    let after = directory.name([other, yard], present: [yard.id: before[0]])
    #expect(after.map(\.id) == ["046d-0825-b_2_2", "046d-0825-b_2"])
  }
}

/// Tests which conflicts between the directory and the present cameras are found, so that the operator can solve them.
@Suite struct DeviceDirectoryProblemsTests {
  private typealias Entry = DeviceDirectory.Entry

  private let door = DeviceIdentity(id: "046d-0825-a", location: "usb-1", links: ["/dev/v4l/by-id/a"])
  private let infrared = DeviceIdentity(id: "046d-0825-a.2", location: "usb-1")
  private let yard = DeviceIdentity(id: "046d-0825-b", location: "usb-2")

  private func problems(_ entries: Entry...) -> [DeviceDirectory.Problem] {
    DeviceDirectory(entries).problems(with: [door, infrared, yard])
  }

  /// Entries that each match one camera are no problem, and neither is an empty directory.
  @Test func entriesThatFitHaveNoProblem() {
    #expect(problems(Entry("046d-0825-a", id: "door"), Entry("usb-2", id: "046d-0825-b")).isEmpty)
    #expect(DeviceDirectory().problems(with: []).isEmpty)
  }

  /// An entry whose camera is absent is a problem, unless the entry says that the camera is not required.
  @Test func anAbsentCameraIsAProblemIfItIsRequired() {
    #expect(problems(Entry(door.id, id: "door"), Entry("usb-7", id: "desk")) == [.absent(entry: 1)])
    #expect(problems(Entry("usb-7", id: "desk", isRequired: false)).isEmpty)
  }

  /// An entry that matches two cameras is ambiguous, because the operator meant one of them.
  @Test func anEntryThatMatchesTwoCamerasIsAmbiguous() {
    #expect(problems(Entry("usb-1", label: "x")) == [.ambiguous(entry: 0, cameras: [door.id, infrared.id])])
  }

  /// A second entry that matches the same camera is a problem, because only one of the two has an effect.
  @Test func aSecondEntryOfOneCameraIsRepeated() {
    #expect(
      problems(Entry("/dev/v4l/by-id/a", id: "x"), Entry(door.id, label: "y", isRequired: false))
        == [.repeated(entry: 1, earlier: 0, camera: door.id)])
  }

  /// An entry must not choose the own id of another camera that is present, whether the entry's camera is present or
  /// not.
  @Test func anIDThatIsTheOwnIDOfAnotherCameraIsTaken() {
    #expect(problems(Entry(door.id, id: yard.id)) == [.taken(entry: 0)])
    #expect(problems(Entry("usb-7", id: yard.id, isRequired: false)) == [.taken(entry: 0)])
  }

  /// One look finds all problems, in the order of the entries, so that the operator can solve them at once.
  @Test func allProblemsAreFoundInTheOrderOfTheEntries() {
    let found = problems(Entry("usb-7", id: yard.id), Entry("usb-1", id: "x"), Entry("046d-0825-a.2", id: "y"))
    #expect(found.map(\.entry) == [0, 0, 1, 2])
  }
}
