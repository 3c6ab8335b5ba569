import CaptureCore
import Testing

@Suite struct DeviceDirectoryTests {
  private typealias Entry = DeviceDirectory.Entry
  private typealias Naming = DeviceDirectory.Naming

  private let door = DeviceIdentity(id: "046d-0825-a", location: "usb-1", links: ["/dev/v4l/by-id/a"])
  private let yard = DeviceIdentity(id: "046d-0825-b", location: "usb-2")

  private func ids(_ entries: [Entry], _ cameras: DeviceIdentity...) -> [String] {
    DeviceDirectory(entries).name(cameras).map(\.id)
  }

  @Test func whatNobodyNamedKeepsItsOwnID() {
    #expect(ids([], door, yard) == [door.id, yard.id])
    #expect(ids([Entry("another", id: "desk")], door) == [door.id])
  }

  @Test(arguments: ["046d-0825-a", "usb-1", "/dev/v4l/by-id/a"])
  func aCameraIsFoundByIDPlaceAndLink(_ key: String) {
    #expect(ids([Entry(key, id: "door")], door, yard) == ["door", yard.id])
    #expect(ids([Entry(key, id: "door")], yard, door) == [yard.id, "door"])
  }

  @Test func whatIsSaidReplacesWhatTheHardwareTells() {
    let plain = Device(
      id: door.id, displayName: "Cam", type: .external, position: .back, driver: "fake", location: "usb-1", formats: [])
    func applied(_ entry: Entry) -> Device { DeviceDirectory([entry]).name([door])[0].applied(to: plain) }
    let all = applied(Entry(door.id, id: "door", position: .front, rotation: .half, label: "Front door"))
    #expect((all.id, all.position, all.mountingRotation, all.label) == ("door", .front, .half, "Front door"))
    #expect((all.displayName, all.location) == ("Cam", "usb-1"))
    var labelled = plain
    labelled.label = "Front door"
    #expect(applied(Entry(door.id, label: "Front door")) == labelled, "what is not said stays")
    #expect(applied(Entry("another", id: "x", rotation: .half)) == plain)
  }

  @Test func nobodyElseGetsAChosenIDAlsoWhileItsCameraIsAbsent() {
    let entries = [Entry("usb-9", id: yard.id)]
    #expect(ids(entries, door, yard) == [door.id, "046d-0825-b_2"])
    #expect(ids([Entry("usb-1", id: yard.id)], door, yard) == [yard.id, "046d-0825-b_2"])
    #expect(ids([Entry(yard.id, id: yard.id)], door, yard) == [door.id, yard.id], "but who it was chosen for")
  }

  @Test func aNumberedIDIsNobodyElsesOwn() {
    let third = DeviceIdentity(id: "046d-0825-b_2", location: "usb-3")
    let named = ids([Entry("usb-9", id: yard.id)], yard, third)
    #expect(named == ["046d-0825-b_2", "046d-0825-b_2_2"])
  }

  @Test func theThingGoesBeforeThePlace() {
    let entries = [Entry("usb-1", id: "place"), Entry("/dev/v4l/by-id/a", id: "link"), Entry(door.id, id: "thing")]
    #expect(ids(entries, door) == ["thing"])
    #expect(ids([entries[0], entries[1]], door) == ["link"])
  }

  @Test func theFirstOfTwoAtAPlaceHasItsName() {
    let infrared = DeviceIdentity(id: "046d-0825-a.2", location: "usb-1")
    #expect(ids([Entry("usb-1", id: "door")], door, infrared) == ["door", infrared.id])
  }

  @Test func aCameraKeepsItsNameWhileItIsThere() {
    let directory = DeviceDirectory([Entry("usb-1", id: "door"), Entry("/dev/v4l/by-id/a", id: "link")])
    var moved = door
    moved.links = []
    let first = directory.name([door])
    #expect(first.map(\.id) == ["link"])
    #expect(directory.name([moved], present: [door.id: first[0]]) == first)
    #expect(directory.name([moved]).map(\.id) == ["door"])
  }

  @Test func aLateLinkNamesWhatDoesNotStream() {
    let directory = DeviceDirectory([Entry("/dev/v4l/by-id/a", id: "desk")])
    var early = door
    early.links = []
    let before = directory.name([early])
    #expect(before.map(\.id) == [door.id])
    #expect(directory.name([door], present: [door.id: before[0]]).map(\.id) == ["desk"])
    #expect(directory.name([door], present: [door.id: before[0]], streaming: [door.id]).map(\.id) == [door.id])
    #expect(directory.name([door], streaming: [door.id]).map(\.id) == ["desk"], "the stream is that of its predecessor")
  }

  @Test func aNumberedIDStaysWhileTheCameraIsThere() {
    let directory = DeviceDirectory([Entry("usb-9", id: yard.id)])
    let before = directory.name([yard])
    let other = DeviceIdentity(id: "046d-0825-b_2", location: "usb-3")
    let after = directory.name([other, yard], present: [yard.id: before[0]])
    #expect(after.map(\.id) == ["046d-0825-b_2_2", "046d-0825-b_2"])
  }
}

@Suite struct DeviceDirectoryProblemsTests {
  private typealias Entry = DeviceDirectory.Entry

  private let door = DeviceIdentity(id: "046d-0825-a", location: "usb-1", links: ["/dev/v4l/by-id/a"])
  private let infrared = DeviceIdentity(id: "046d-0825-a.2", location: "usb-1")
  private let yard = DeviceIdentity(id: "046d-0825-b", location: "usb-2")

  private func problems(_ entries: Entry...) -> [DeviceDirectory.Problem] {
    DeviceDirectory(entries).problems(with: [door, infrared, yard])
  }

  @Test func whatFitsIsNoProblem() {
    #expect(problems(Entry("046d-0825-a", id: "door"), Entry("usb-2", id: "046d-0825-b")).isEmpty)
    #expect(DeviceDirectory().problems(with: []).isEmpty)
  }

  @Test func anAbsentCameraIsOneUnlessItMayBe() {
    #expect(problems(Entry(door.id, id: "door"), Entry("usb-7", id: "desk")) == [.absent(entry: 1)])
    #expect(problems(Entry("usb-7", id: "desk", isRequired: false)).isEmpty)
  }

  @Test func onePlaceOfTwoCamerasIsOne() {
    #expect(problems(Entry("usb-1", label: "x")) == [.ambiguous(entry: 0, cameras: [door.id, infrared.id])])
  }

  @Test func twoEntriesOfOneCameraAreOne() {
    #expect(
      problems(Entry("/dev/v4l/by-id/a", id: "x"), Entry(door.id, label: "y", isRequired: false))
        == [.repeated(entry: 1, earlier: 0, camera: door.id)])
  }

  @Test func anotherCamerasOwnIDIsOne() {
    #expect(problems(Entry(door.id, id: yard.id)) == [.taken(entry: 0)])
    #expect(problems(Entry("usb-7", id: yard.id, isRequired: false)) == [.taken(entry: 0)])
  }

  @Test func everyProblemIsTold() {
    let found = problems(Entry("usb-7", id: yard.id), Entry("usb-1", id: "x"), Entry("046d-0825-a.2", id: "y"))
    #expect(found.map(\.entry) == [0, 0, 1, 2])
  }
}
