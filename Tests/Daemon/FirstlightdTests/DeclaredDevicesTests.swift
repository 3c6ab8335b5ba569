import CaptureCore
import SyntheticCapture
import Testing

@testable import firstlightd

/// The entries of `devices` beside each other, beside the cameras that are present, and beside the sessions of the
/// file.
@Suite struct DeclaredDevicesTests {
  /// The two cameras that are present.
  private static let cameras = SyntheticDeviceProvider(count: 2).identities

  @Test(arguments: [
    (
      "  - synthetic-0\n",
      "line 2: devices is not a mapping; write what finds each camera, then what it is."
    ),
    (
      "  synthetic-0: {id: door}\n  synthetic-1: {id: door}\n",
      "line 3: devices.synthetic-1 has the id door, which the camera of line 2 has too; choose another."
    ),
    (
      "  synthetic-0: {id: a}\n  devices/synthetic-0: {label: b}\n",
      "line 3: devices.synthetic-0 is the same camera as that of line 2; join the two."
    ),
    (
      "  synthetic-0: {id: a}\n  synthetic-1: {id: b}\n  synthetic-0: {id: c}\n",
      "line 2: the key synthetic-0 stands here and again below; keep one."
    ),
    (
      "  synthetic-0:\n    id: a\n    label: b\n    id: c\n",
      "line 3: the key id stands here and again below; keep one."
    ),
  ])
  func entriesThatContradictEachOtherAreRefused(_ entries: String, _ told: String) {
    #expect(refusal(of: "devices:\n\(entries)") == "firstlight.yaml, \(told)")
  }

  @Test(arguments: [
    "  synthetic-0: {id: door}\n  software:1: {id: yard}\n",
    "  synthetic-0: {id: door}\n  046d-0825-a1: {id: yard, required: false}\n",
    "  /dev/v4l/by-id/usb-nowhere-index0: {id: desk, required: false}\n",
    "  synthetic-0: {id: synthetic-0}\n",
  ])
  func entriesThatFitTheCamerasAreTaken(_ entries: String) throws {
    #expect(try check(entries) == nil)
  }

  /// What the daemon tells of a camera that is not present.
  private static let absent =
    "matches no camera that is present; there are synthetic-0 at software:0, synthetic-1 at software:1. Correct it, "
    + "plug the camera in, or write `required: false` if it may be absent."

  @Test(arguments: [
    ("  synthetic-0: {id: door}\n  046d-0825-a1: {id: yard}\n", "line 3: devices.046d-0825-a1 \(absent)"),
    ("  usb-0000:00:14.0-1: {id: yard}\n", "line 2: devices.usb-0000:00:14.0-1 \(absent)"),
    (
      "  /dev/v4l/by-id/usb-nowhere-index0: {id: yard}\n",
      "line 2: devices./dev/v4l/by-id/usb-nowhere-index0 \(absent)"
    ),
    (
      "  synthetic-0: {id: door}\n  software:0: {label: Door}\n",
      "line 3: devices.software:0 matches synthetic-0, which devices.synthetic-0 in line 2 matches too; keep one of "
        + "the two."
    ),
    (
      "  synthetic-0: {id: synthetic-1}\n",
      "line 2: devices.synthetic-0 has the id synthetic-1, which is another camera's own; choose another."
    ),
    (
      "  x: {id: synthetic-1, required: false}\n",
      "line 2: devices.x has the id synthetic-1, which is another camera's own; choose another."
    ),
  ])
  func anEntryThatDoesNotFitTheCamerasIsRefused(_ entries: String, _ told: String) throws {
    #expect(try check(entries) == "firstlight.yaml, \(told)")
  }

  @Test func aPlaceOfSeveralCamerasIsRefused() throws {
    let cameras = ["left", "right"].map { DeviceIdentity(id: $0, location: "usb-1") }
    #expect(
      try check("  usb-1: {label: Both}\n", cameras)
        == """
        firstlight.yaml, line 2: devices.usb-1 matches left and right, which are attached at the same place; name each \
        by its own id.
        """)
  }

  @Test func withoutAnyCameraTheOperatorIsToldSo() throws {
    #expect(
      try check("  a: {label: A}\n", [])
        == """
        firstlight.yaml, line 2: devices.a matches no camera that is present; there is none. Correct it, plug the \
        camera in, or write `required: false` if it may be absent.
        """)
  }

  @Test func everyEntryThatDoesNotFitIsToldAtOnce() throws {
    #expect(
      try check("  a: {label: A}\n  synthetic-0: {id: door}\n  b: {label: B}\n")
        == "firstlight.yaml, line 2: devices.a \(Self.absent)\nfirstlight.yaml, line 4: devices.b \(Self.absent)")
  }

  /// A session that names a camera by an id which the file replaces would wait for ever.
  @Test(arguments: [
    ("synthetic-0", "synthetic-0", "names devices/synthetic-0, which line 2 calls devices/door; write that."),
    ("software:0", "synthetic-0", "names devices/synthetic-0, which line 2 calls devices/door; write that."),
    ("nobody", "nobody", "names devices/nobody, which line 2 calls devices/door; write that."),
    ("synthetic-0", "door", nil),
    ("synthetic-0", "synthetic-1", nil),
    ("synthetic-0", "another", nil),
  ])
  func aSessionNamesACameraAsTheFileCallsIt(_ key: String, _ named: String, _ told: String?) throws {
    let file = try ConfigurationFile(
      yaml: """
        devices:
          \(key): {id: door}
        sessions:
          yard: {inputs: [{device: devices/synthetic-1}, {device: devices/\(named)}], preview: {}}
        """, fileName)
    let problem = refusal { try file.devices.check(file.sessions ?? [], Self.cameras) }
    #expect(problem == told.map { "sessions.yard.inputs[1].device of the configuration file \($0)" })
  }

  /// An entry that only labels a camera replaces no id, and a session may name the camera by its own.
  @Test func aSessionNamesACameraWithoutAChosenIDByItsOwn() throws {
    let file = try ConfigurationFile(
      yaml: """
        devices: {synthetic-0: {label: Door}}
        sessions: {yard: {inputs: [{device: devices/synthetic-0}], preview: {}}}
        """, fileName)
    #expect(refusal { try file.devices.check(file.sessions ?? [], Self.cameras) } == nil)
  }

  /// What the daemon tells of entries beside cameras; nil when they fit.
  private func check(_ entries: String, _ cameras: [DeviceIdentity] = cameras) throws -> String? {
    let devices = try ConfigurationFile(yaml: "devices:\n\(entries)", fileName).devices
    return refusal { try devices.check(cameras) }
  }
}
