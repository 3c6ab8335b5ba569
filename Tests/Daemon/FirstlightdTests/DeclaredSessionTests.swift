import CaptureCore
import CaptureSessions
import Testing

@testable import firstlightd

/// One entry of `sessions` in the configuration file: the configuration that it gives, and what the daemon tells of an
/// entry that no device could make a session of.
@Suite struct DeclaredSessionTests {
  @Test func anEntryIsAConfiguration() throws {
    let session = try #require(
      try Door.session(
        "preview: {}\nphoto: {zeroShutterLagWindow: 1s}",
        input: """
          format: {pixel_format: NV12, width: 320, height: 180}
          frame_rate_override: {numerator: 30, denominator: 1}
          """))
    var expected = SessionConfiguration()
    let format = SessionConfiguration.Format(pixelFormat: .nv12, size: Size(width: 320, height: 180))
    expected.inputs = [.init(deviceID: "synthetic-0", format: format, frameRate: Rational(30, 1))]
    expected.preview = .init()
    expected.photo = .init(zeroShutterLagWindow: 1_000_000_000)
    #expect(session.configuration == expected)
    #expect(session.id == "door")
    #expect(session.start == .atBoot)
    #expect(session.record == nil)
  }

  /// The names of fields are those of the contract in either spelling.
  @Test(arguments: ["zero_shutter_lag_window", "zeroShutterLagWindow"]) func aFieldHasTwoSpellings(
    _ field: String
  ) throws {
    let photo = try Door.session("photo: {\(field): 2s}")?.configuration.photo
    #expect(photo?.zeroShutterLagWindow == 2_000_000_000)
  }

  /// YAML's scalars become JSON's: a word is a text, and so is a quoted number; a number and a flag are themselves.
  @Test func aScalarHasTheTypeThatYAMLGivesIt() throws {
    let configuration = try Door.session(
      """
      preview: {id: '5', deferred_start_enabled: on}
      photo: {id: main"photo", deferred_start_enabled: false}
      video_data: [{id: data, max_queue_depth: 0x10}]
      movie: ~
      automatically_runs_deferred_start: no
      """)?.configuration
    #expect(configuration?.preview == .init(id: "5", deferredStart: true))
    #expect(configuration?.photo == .init(id: "main\"photo\"", deferredStart: false))
    #expect(configuration?.automaticallyRunsDeferredStart == false)
    #expect(configuration?.videoData.map(\.maxQueueDepth) == [16])
    #expect(configuration?.movie == nil)
  }

  @Test(arguments: ["5", "", "[a]"]) func anEntryOfAnotherFormIsRefused(_ entry: String) {
    #expect(
      refusal(of: "sessions:\n  door: \(entry)\n")
        == "sessions.door of the configuration file is no mapping; name at least inputs and an output.")
  }

  @Test func anEntryWithoutAnIDIsRefused() {
    #expect(
      refusal(of: "sessions:\n  '': {preview: {}}\n")
        == "sessions of the configuration file has an entry without an id; name it.")
  }

  /// What the contract does not have is told with the path of the field, although the parser does not say where it
  /// stood.
  @Test(arguments: [
    ("preview: {}\ncolour: red", "colour", "unknownField(\"colour\")"),
    ("preview: {a: {b: 1}}", "preview.a.b", "unknownField(\"a\")"),
    ("preview: 5", "preview", "failure"),
    ("photo: {zero_shutter_lag_window: soon}", "photo.zero_shutter_lag_window", "malformedDuration"),
    ("movie: {codec: H264}", "movie.codec", "unrecognizedEnumValue"),
    ("video_data: [{id: a}, {id: b, max_queue_depth: deep}]", "video_data[1].max_queue_depth", "malformedNumber"),
    ("video_data: [{id: 5}]", "video_data[0].id", "malformedString"),
  ])
  func aFieldOfTheWrongTypeIsNamed(_ entry: String, _ field: String, _ told: String) {
    #expect(
      refusal(of: Door.file(entry))
        == """
        sessions.door.\(field) of the configuration file cannot be used: it is not a SessionConfiguration (\(told))
        """)
  }

  @Test func aFieldOfAnInputIsNamedWithItsNumber() {
    let format = "format: {pixel_format: NV12, width: wide, height: 180}"
    #expect(
      refusal(of: Door.file(input: format))
        == """
        sessions.door.inputs[0].format.width of the configuration file cannot be used: it is not a \
        SessionConfiguration (malformedNumber)
        """)
  }

  /// What the contract has and no device could do is told as clients are told.
  @Test func aValueThatIsValidForNoDeviceIsNamed() {
    #expect(
      refusal(of: Door.file().replacing("devices/synthetic-0", with: "synthetic-0"))
        == """
        sessions.door.inputs[0].device of the configuration file cannot be used: "synthetic-0" is not a name of the \
        form devices/{id}.
        """)
    #expect(
      refusal(of: Door.file(input: "format: {pixel_format: NV12, width: 0, height: 180}"))
        == """
        sessions.door.inputs[0].format of the configuration file cannot be used: A format's width and height are from \
        1 to 65536.
        """)
  }
}
