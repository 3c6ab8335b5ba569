import CaptureCore
import CaptureTestKit
import Testing

@testable import SyntheticCapture

/// Tests that synthetic cameras take the operator's names from a device directory, as V4L2 cameras do.
@Suite struct SyntheticNamingTests {
  private let provider = SyntheticDeviceProvider(
    count: 2,
    directory: DeviceDirectory([
      .init("synthetic-0", id: "door", position: .front, rotation: .half, label: "Front door"),
      .init("usb-1", id: "synthetic-1", isRequired: false),
    ]))

  /// A camera with an entry has the id, label, position and rotation of the entry. A camera whose own id the operator
  /// chose for another camera gets a number behind its id. The identities keep the own ids.
  @Test func camerasHaveTheNamesAndSettingsOfTheDirectory() async {
    let devices = await provider.devices()
    #expect(devices.map(\.id) == ["door", "synthetic-1_2"])
    #expect(devices.map(\.label) == ["Front door", ""])
    #expect(devices.map(\.position) == [.front, .unspecified])
    #expect(devices.map(\.mountingRotation) == [.half, .none])
    #expect(provider.identities.map(\.id) == ["synthetic-0", "synthetic-1"])
  }

  /// Starts, changes and faults know the camera by the id that the operator chose, and no longer by its own id.
  @Test(.timeLimit(.minutes(1))) func callsAndFaultsUseTheChosenID() async throws {
    let sink = RecordingSink()
    let source = try await provider.start(smallRequest, on: "door", pool: FramePool(budget: 64 << 20), sink: sink)
    _ = try await sink.frames.wait(count: 1)
    #expect(source.deviceID == "door")
    await source.stop()
    var changes = provider.changes().makeAsyncIterator()
    try provider.faults.unplug("door")
    #expect(await changes.next()?.device.id == "door")
    try provider.faults.replug("door")
    #expect(await changes.next()?.device.label == "Front door")
    #expect(throws: CaptureError.self) { try provider.faults.unplug("synthetic-0") }
  }
}
