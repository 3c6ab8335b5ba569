import CaptureCore
import CaptureTestKit
import Logging
import Synchronization
import Testing

@testable import CaptureSessions

/// A registry of sessions on fake devices with fake outputs, for tests of a whole session.
struct Bench {
  let provider: FakeProvider
  let microphones: FakeMicrophones
  let devices: DeviceRegistry
  let sessions: SessionRegistry
  /// Every composition that sessions made.
  let compositions = Recorder<FakeComposition>()
  private let maker = OutputMaker()

  init(
    /// Creates a registry without sessions.
    ///
    /// - Parameters:
    ///   - list: the devices that are connected.
    ///   - microphones: those that are connected.
    ///   - clock: times the pauses of sessions. A test that decides when they end gives a ``ManualClock``.
    ///   - meanLuma: measures the brightness of frames; by default, it measures none.
    devices list: [Device] = [.fake()], microphones: FakeMicrophones = FakeMicrophones(),
    clock: any Clock<Duration> = ContinuousClock(),
    meanLuma: @escaping LumaMeter = { _ in nil }
  ) {
    provider = FakeProvider(devices: list)
    devices = DeviceRegistry(providers: [provider], microphones: MicrophoneRegistry(providers: [microphones]))
    self.microphones = microphones
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    sessions = SessionRegistry(
      devices: devices, logger: logger, clock: clock,
      meanLuma: meanLuma,
      makeComposition: { [compositions] id, layers in
        let made = FakeComposition(id: id, layers: layers)
        compositions.append(made)
        return made
      }
    ) { [maker] output, _ in maker.make(output.id) }
  }

  /// Every output that sessions made, in the order of making.
  var made: Recorder<FakeOutput> { maker.made }

  /// Sets a function that is called with every output when it was made; nil for none.
  func onMake(_ body: (@Sendable (FakeOutput) -> Void)?) { maker.whenMade.withLock { $0 = body } }

  /// The newest output with this id; nil when there is none.
  func output(_ id: String) -> FakeOutput? { made.all.last { $0.id == id } }

  /// A configuration with the device `fake-0`, a preview and a photo output, changed by `change`.
  static func configuration(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = [.init(deviceID: "fake-0")]
    configuration.preview = .init()
    configuration.photo = .init()
    change(&configuration)
    return configuration
  }

  /// Creates, configures and starts the session `s`, and returns it with its source.
  func running(
    _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) async throws -> (session: CaptureSession, source: FakeSource) {
    let session = try await sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Self.configuration(change), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 1)
    return (session, try #require(provider.sources.all.last))
  }
}

/// Makes and records the outputs of sessions. Thread-safe.
private final class OutputMaker: Sendable {
  let made = Recorder<FakeOutput>()
  let whenMade = Mutex<(@Sendable (FakeOutput) -> Void)?>(nil)

  func make(_ id: String) -> FakeOutput {
    let output = FakeOutput(id: id)
    whenMade.withLock { $0 }?(output)
    made.append(output)
    return output
  }
}

/// Reads the session's events after `id` and waits until one `fits`.
func event(
  of session: CaptureSession, after id: UInt64 = 0, _ fits: (SessionEvent) -> Bool
) async throws -> EventLog<SessionEvent>.Entry {
  var position = id
  while true {
    let entry = try await session.events.entry(after: position)
    if fits(entry.payload) { return entry }
    position = entry.id
  }
}

/// The session's events after `id`, until now.
func events(of session: CaptureSession, after id: UInt64 = 0) async throws -> [SessionEvent] {
  var told: [SessionEvent] = []
  for position in id..<max(id, session.events.lastID) {
    told.append(try await session.events.entry(after: position).payload)
  }
  return told
}

/// The reason of the error that `body` throws, or of the first issue of a refused configuration; nil when it throws
/// neither.
func reason(_ body: () async throws -> Void) async -> CaptureError.Reason? {
  do { try await body() } catch let error as CaptureError { return error.reason } catch let error as ConfigurationError
  {
    return error.issues[0].reason
  } catch { return nil }
  return nil
}

extension PressureDemand {
  /// The pressure and the steps of a ladder of four steps: limits on the size and rate of previews and on the ring from
  /// "serious" on, and on the rate of the device from "critical" on.
  ///
  /// - Parameter rate: the device's limit in frames per second; the limit of previews is twice that.
  static func fake(_ level: PressureLevel, rate: UInt32 = 5) -> PressureDemand {
    let steps = [
      AdaptationStep(.previewSide(640), from: .serious),
      AdaptationStep(.previewRate(Rational(2 * rate, 1)), from: .serious),
      AdaptationStep(.ringWindow(100_000_000), from: .serious),
      AdaptationStep(.deviceRate(Rational(rate, 1)), from: .critical),
    ]
    let cause = PressureCause(factor: .systemTemperature, level: level, source: "zone")
    return PressureDemand(
      level: level, causes: level > .nominal ? [cause] : [], steps: steps.filter { $0.level <= level })
  }
}
