import CaptureCore
import CaptureSessions
import CaptureTestKit
import Logging
import SyntheticCapture
import Testing

@testable import firstlightd

/// The sessions of the configuration file beside the cameras: those that can never run are refused before the daemon
/// serves.
@Suite struct DeclaredSessionsTests {
  private let devices = DeviceRegistry(providers: [SyntheticDeviceProvider(count: 1)])
  private let warnings = Recorder<Logger.Metadata>()
  private let sessions: SessionRegistry
  private let logger: Logger

  init() {
    let warnings = warnings
    logger = Logger(label: "test") { _ in WarningTeller(warnings: warnings) }
    sessions = SessionRegistry(devices: devices, logger: logger, makeComposition: FakeComposition.make) { output, _ in
      FakeOutput(id: output.id)
    }
  }

  /// A session has its configuration at once, so that a viewer finds its outputs as soon as the daemon serves.
  @Test func sessionsThatCanRunAreCreated() async throws {
    _ = try await declare(
      """
      sessions:
        yard: {inputs: [{device: devices/synthetic-0}], preview: {}, start: on-demand, idle-timeout: 7}
        door: {inputs: [{device: devices/synthetic-0}], photo: {}}
      """)
    let (door, yard) = try await (sessions.session("door"), sessions.session("yard"))
    #expect(door.isDeclared && yard.isDeclared)
    let (atBoot, onDemand) = await (door.snapshot(), yard.snapshot())
    #expect((atBoot.isOnDemand, onDemand.isOnDemand) == (false, true))
    #expect(atBoot.configuration.photo == .init() && atBoot.status.state == .stopped)
    #expect(onDemand.configuration.preview == .init())
    #expect(warnings.all.isEmpty)
  }

  @Test(arguments: [
    (
      "sessions:\n  Door: {preview: {}}\n",
      "sessions.Door of the configuration file cannot be used: A session id has 1 to 63 characters of a-z, 0-9 "
        + "and -, and begins with a letter."
    ),
    (
      "sessions:\n  door: {}\n",
      "sessions.door of the configuration file cannot be used: Session door has neither a camera nor an output; "
        + "configure both first."
    ),
    (
      "sessions:\n  door: {preview: {}}\n",
      "sessions.door of the configuration file cannot be used: Session door has no camera; configure an input first."
    ),
    (
      Door.file(""),
      "sessions.door of the configuration file cannot be used: Session door has no output; configure a preview or a "
        + "photo output first."
    ),
    (
      Door.file(input: "format: {pixel_format: NV12, width: 321, height: 180}"),
      "sessions.door.inputs[0].format of the configuration file cannot be used: Device synthetic-0 does not deliver "
        + "NV12 at 321x180; GetDevice lists its formats."
    ),
    (
      Door.file("photo: {zero_shutter_lag_window: 60s}"),
      "sessions.door.photo.zero_shutter_lag_window of the configuration file cannot be used: A zero shutter lag window "
        + "of 60000000000 ns is longer than 5 s."
    ),
    (
      Door.file("preview: {}\nstart: on-demand", input: "format: {pixel_format: NV12, width: 321, height: 180}"),
      "sessions.door.inputs[0].format of the configuration file cannot be used: Device synthetic-0 does not deliver "
        + "NV12 at 321x180; GetDevice lists its formats."
    ),
  ])
  func aSessionThatCanNeverRunIsRefused(_ yaml: String, _ told: String) async {
    #expect(await refusal { _ = try await declare(yaml) } == told)
  }

  @Test func aSessionThatCostsMoreThanItsCameraHasIsRefused() async throws {
    let input = """
      format: {pixel_format: NV12, width: 3840, height: 2160}
      frame_rate_override: {numerator: 60, denominator: 1}
      """
    let told = try #require(await refusal { _ = try await declare(Door.file(input: input)) })
    #expect(
      told.hasPrefix(
        """
        sessions.door.inputs[0] of the configuration file cannot be used: NV12 3840x2160 at 60 frames per second costs \
        1.914 times what the sensor of synthetic-0 has; choose one of NV12 3840x2160@30,
        """))
  }

  /// A name of a device that is not there may be mistyped, but a session waits for its camera.
  @Test func aSessionWithoutItsCameraIsCreatedWithAWarning() async throws {
    _ = try await declare(Door.file().replacing("synthetic-0", with: "usb-1234-5678-door"))
    #expect(
      warnings.all == [
        [
          "session.name": "sessions/door", "device.name": "devices/usb-1234-5678-door",
          "device.present": ["devices/synthetic-0"],
        ]
      ])
  }

  private func declare(_ yaml: String) async throws -> DeclaredSessions {
    let file = try ConfigurationFile(yaml: yaml, fileName)
    return try await DeclaredSessions(file.sessions ?? [], in: sessions, on: devices, logger: logger)
  }
}

/// A log that gives a test the metadata of each warning.
private struct WarningTeller: LogHandler {
  let warnings: Recorder<Logger.Metadata>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  func log(event: LogEvent) { warnings.append(event.metadata ?? [:]) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }
}
