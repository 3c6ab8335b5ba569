import CaptureCore
import CaptureTestKit
import Logging
import Synchronization
import Testing

@testable import CaptureSessions

/// A session on a fake device with fake outputs.
struct Bench {
  let provider: FakeProvider
  let devices: DeviceRegistry
  let sessions: SessionRegistry
  private let maker = OutputMaker()

  init(
    devices list: [Device] = [.fake()], clock: any Clock<Duration> = ContinuousClock(),
    meanLuma: @escaping LumaMeter = { _ in nil }
  ) {
    provider = FakeProvider(devices: list)
    devices = DeviceRegistry(providers: [provider])
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    sessions = SessionRegistry(devices: devices, logger: logger, clock: clock, meanLuma: meanLuma) {
      [maker] output, _ in
      maker.make(output.id)
    }
  }

  /// Every output, in the order in which they were made.
  var made: Recorder<FakeOutput> { maker.made }

  /// What is done to every output right after it was made, from now on.
  func onMake(_ body: (@Sendable (FakeOutput) -> Void)?) { maker.whenMade.withLock { $0 = body } }

  /// The newest of this id.
  func output(_ id: String) -> FakeOutput? { made.all.last { $0.id == id } }

  static func configuration(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = [.init(deviceID: "fake-0")]
    configuration.preview = .init()
    configuration.photo = .init()
    change(&configuration)
    return configuration
  }

  func running(
    _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) async throws -> (session: CaptureSession, source: FakeSource) {
    let session = try await sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Self.configuration(change), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 1)
    return (session, try #require(provider.sources.all.last))
  }
}

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

/// Follows a session's events until one fits.
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

/// What has happened to a session so far.
func events(of session: CaptureSession, after id: UInt64 = 0) async throws -> [SessionEvent] {
  var told: [SessionEvent] = []
  for position in id..<max(id, session.events.lastID) {
    told.append(try await session.events.entry(after: position).payload)
  }
  return told
}

func reason(_ body: () async throws -> Void) async -> CaptureError.Reason? {
  do { try await body() } catch let error as CaptureError { return error.reason } catch let error as ConfigurationError
  {
    return error.issues[0].reason
  } catch { return nil }
  return nil
}

extension PressureDemand {
  /// What a ladder of four steps asks for: previews and the ring at serious, the device at critical.
  ///
  /// - Parameter rate: the device's; that of previews is twice that.
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
