import CaptureCore
import Testing

@testable import V4L2Capture

/// The changes that lead from one list of devices to the next.
@Suite struct DeviceChangeDifferenceTests {
  private func device(_ id: String, name: String = "Camera") -> Device {
    Device(id: id, displayName: name, type: .external, driver: "d", location: "l", formats: [])
  }

  @Test func equalListsGiveNoChange() {
    #expect(DeviceChange.difference(from: [device("a")], to: [device("a")]).isEmpty)
  }

  @Test func disconnectionsComeBeforeConnectionsAndChanges() {
    let changes = DeviceChange.difference(
      from: [device("a"), device("b")], to: [device("c"), device("b", name: "New")])
    #expect(
      changes == [
        DeviceChange(.disconnected, device("a")), DeviceChange(.connected, device("c")),
        DeviceChange(.changed, device("b", name: "New")),
      ])
  }
}
