import CaptureCore
import Testing

@testable import firstlightd

/// One entry of `devices` in the configuration file: what it says of a camera, and what the daemon tells of an entry
/// that makes no sense with any cameras.
@Suite struct DeclaredDeviceTests {
  @Test func anEntrySaysWhatTheCameraIs() throws {
    let entries = try ConfigurationFile(
      yaml: """
        devices:
          synthetic-0: {id: door, position: front, rotation: 180, label: Front door}
          usb-0000:00:14.0-1: {position: back, rotation: 0, required: false}
          /dev/v4l/by-id/usb-nowhere-index0: {label: Desk, required: true}
        """, fileName
    ).devices.directory.entries
    #expect(
      entries == [
        DeviceDirectory.Entry("synthetic-0", id: "door", position: .front, rotation: .half, label: "Front door"),
        DeviceDirectory.Entry(
          "usb-0000:00:14.0-1", position: .back, rotation: Orientation.Rotation.none, isRequired: false),
        DeviceDirectory.Entry("/dev/v4l/by-id/usb-nowhere-index0", label: "Desk"),
      ])
  }

  /// Clients know a camera by its resource name, so an operator may write that.
  @Test(arguments: [
    ("devices/synthetic-0", "synthetic-0"), ("software:0", "software:0"), ("'synthetic-0'", "synthetic-0"),
  ])
  func aKeyIsAnIDAResourceNameOrAPlace(_ key: String, _ expected: String) throws {
    let file = try ConfigurationFile(yaml: "devices:\n  \(key): {id: door}\n", fileName)
    #expect(file.devices.directory.entries == [DeviceDirectory.Entry(expected, id: "door")])
  }

  @Test(arguments: [0, 90, 180, 270]) func aCameraIsMountedInOneOfFourWays(_ angle: Int) throws {
    let file = try ConfigurationFile(yaml: "devices:\n  a: {rotation: \(angle)}\n", fileName)
    #expect(file.devices.directory.entries.map(\.rotation?.rawValue) == [angle])
  }

  /// The longest id and the longest label are taken.
  @Test func whatIsLongIsTaken() throws {
    let (id, label) = (String(repeating: "a", count: 63), String(repeating: "é", count: 100))
    let file = try ConfigurationFile(yaml: "devices:\n  a: {id: \(id), label: \(label)}\n", fileName)
    #expect(file.devices.directory.entries == [DeviceDirectory.Entry("a", id: id, label: label)])
  }

  @Test(arguments: [
    (" door\n", 2, "is not a mapping; write at least one of id, label, position and rotation."),
    ("\n", 2, "is not a mapping; write at least one of id, label, position and rotation."),
    (" {}\n", 2, "says nothing; write at least one of id, label, position and rotation."),
    ("\n    required: false\n", 2, "says nothing; write at least one of id, label, position and rotation."),
    (
      "\n    id: door\n    colour: red\n", 4,
      "has a field \"colour\", which means nothing; there are id, label, position, required and rotation."
    ),
  ])
  func anEntryOfAnotherFormIsRefused(_ entry: String, _ line: Int, _ told: String) {
    #expect(
      refusal(of: "devices:\n  synthetic-0:\(entry)")
        == "firstlight.yaml, line \(line): devices.synthetic-0 \(told)")
  }

  @Test(arguments: [
    ("Door", "is \"Door\""), ("-door", "is \"-door\""), ("devices/door", "is \"devices/door\""),
    (String(repeating: "a", count: 64), "is \"\(String(repeating: "a", count: 64))\""),
    ("[door]", "is no plain value"), ("", "is empty"), ("~", "is empty"),
  ])
  func anIDIsSpelledByTheRules(_ id: String, _ told: String) {
    #expect(
      refusal(of: "devices:\n  synthetic-0:\n\n    id: \(id)\n")
        == """
        firstlight.yaml, line 4: devices.synthetic-0.id \(told); it must be lower-case letters, digits, -, . and _, at \
        most 63, beginning with a letter or digit.
        """)
  }

  @Test(arguments: [("left", "is \"left\""), ("{a: front}", "is no plain value"), ("", "is empty")])
  func aPositionIsFrontOrBack(_ position: String, _ told: String) {
    #expect(
      refusal(of: "devices:\n  synthetic-0:\n    position: \(position)\n")
        == "firstlight.yaml, line 3: devices.synthetic-0.position \(told); it must be front or back.")
  }

  @Test(arguments: [
    ("45", "is \"45\""), ("upside down", "is \"upside down\""), ("-90", "is \"-90\""),
    ("{by: 90}", "is no plain value"),
  ])
  func aRotationIsOneOfFour(_ rotation: String, _ told: String) {
    #expect(
      refusal(of: "devices:\n  synthetic-0:\n    rotation: \(rotation)\n")
        == """
        firstlight.yaml, line 3: devices.synthetic-0.rotation \(told); it must be 0, 90, 180 or 270, the degrees \
        clockwise until pictures are upright.
        """)
  }

  @Test(arguments: [
    ("''", "is \"\""), ("'  '", "is \"  \""), ("\"a\\u0007\"", "is \"a\u{7}\""), ("[a]", "is no plain value"),
    (String(repeating: "x", count: 101), "is \"\(String(repeating: "x", count: 101))\""),
  ])
  func aLabelIsAFewWords(_ label: String, _ told: String) {
    #expect(
      refusal(of: "devices:\n  synthetic-0:\n    label: \(label)\n")
        == """
        firstlight.yaml, line 3: devices.synthetic-0.label \(told); it must be 1 to 100 characters, none of them \
        control characters, and not blank.
        """)
  }

  @Test func requiredIsTrueOrFalse() {
    #expect(
      refusal(of: "devices:\n  synthetic-0: {id: door, required: perhaps}\n")
        == "firstlight.yaml, line 2: devices.synthetic-0.required is \"perhaps\"; it must be true or false.")
  }

  /// A number below `/dev` goes to another camera after the next start, so an operator names a lasting link.
  @Test(arguments: [
    (
      "/dev/video0",
      "devices./dev/video0 may be another camera after the next start; name a link in /dev/v4l/by-id, or what "
        + "`firstlightd devices` lists."
    ),
    (
      "/sys/camera",
      "devices./sys/camera lies outside /dev; name a link such as those in /dev/v4l/by-id."
    ),
    ("''", "devices has an entry without a name; name what finds the camera."),
    ("devices/", "devices has an entry without a name; name what finds the camera."),
  ])
  func aKeyThatFindsNoCameraForGoodIsRefused(_ key: String, _ told: String) {
    #expect(refusal(of: "devices:\n  \(key): {id: door}\n") == "firstlight.yaml, line 2: \(told)")
  }
}
