import CaptureCore
import CaptureTestKit

@testable import CaptureSessions

/// Runs one random sequence of commands and checks the sessions after each. One task uses it.
final class SessionFuzzer {
  /// The error for an invariant that does not hold.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  /// A camera with small pictures, so that ten thousand sequences take little time.
  private static func camera(_ id: String) -> Device {
    .fake(
      id: id,
      formats: [.fake(.nv12, Size(width: 64, height: 36)), .fake(.yuyv, Size(width: 32, height: 18))])
  }
  private static let cameras = ["fake-0", "fake-1"]
  private static let deviceErrors: [CaptureError] = [
    CaptureError(.deviceInUse, "taken"), CaptureError(.deviceDisconnected, "gone"),
    CaptureError(.bandwidthExceeded, "full"), CaptureError(.deviceFailed, "broken"),
    CaptureError(.deviceNotResponding, "silent"),
  ]
  /// The error of a stream that noticed a sleep of the machine. It ends streams, and no camera refuses a start with it.
  private static let slept = CaptureError(.systemSuspend, "slept")

  /// The commands until now, with their results, for the message of a failure.
  private(set) var trace: [String] = []
  private var random: SplitMix
  /// How many times the preparation of an output yields to other tasks before it goes on.
  private let slowness: Int
  private let clock = ManualClock()
  private let bench: Bench
  private var invariants: SessionInvariants
  private var sessions: [CaptureSession] = []

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    slowness = [0, 0, 3, 20].randomElement(using: &random)!
    bench = Bench(devices: Self.cameras.map(Self.camera), clock: clock)
    invariants = SessionInvariants(bench: bench)
  }

  /// Runs the sequence.
  ///
  /// - Throws: ``Violation`` when an invariant does not hold.
  func run() async throws {
    makeOutputs(failing: false)
    for id in ["a", "b"] { sessions.append(try await bench.sessions.create(id: id, idleTimeout: 0)) }
    for _ in 0..<Int.random(in: 6...16, using: &random) {
      try await step()
      try await settle()
      try await invariants.check(sessions)
      for source in bench.provider.sources.all where source.isLive {
        try await invariants.send(from: source, to: sessions)
      }
      try await settle()
    }
    trace.append("delete all")
    for session in sessions { try? await bench.sessions.delete(session.id, etag: "") }
    try await settle()
    try await invariants.checkEnded(sessions)
  }

  // MARK: - Commands

  /// Carries out one random command, or changes what the cameras and outputs do.
  private func step() async throws {
    let session = sessions.randomElement(using: &random)!
    switch Int.random(in: 0..<23, using: &random) {
    case 0..<8: try await call(on: session)
    case 8, 9: try await together()
    case 10, 15, 16: setTrouble()
    case 11:
      trace.append("no trouble")
      bench.provider.failStarts(nil)
      bench.provider.failResolving(nil)
      makeOutputs(failing: false)
      for output in bench.made.all { output.failPreparation(nil) }
    case 12:
      let camera = Self.cameras.randomElement(using: &random)!
      trace.append("unplug \(camera)")
      bench.provider.disconnect(camera)
    case 13:
      let camera = Self.cameras.randomElement(using: &random)!
      trace.append("plug in \(camera)")
      bench.provider.connect(Self.camera(camera))
    case 14:
      let error = (Self.deviceErrors + [Self.slept]).randomElement(using: &random)!
      trace.append("lose a source: \(error.reason)")
      let source = bench.provider.sources.all.last(where: \.isLive)
      // A real source always reports the stall before it ends.
      if error.reason == .deviceNotResponding { source?.stall(error) }
      source?.lose(error)
    case 17: await sendFirst(session)
    case 22:
      let isAsleep = Bool.random(using: &random)
      trace.append(isAsleep ? "the machine sleeps" : "the machine wakes")
      await bench.sessions.setSystemAsleep(isAsleep)
    case 20, 21: await press()
    case 18:
      let time = Duration.milliseconds([200, 500, 1000].randomElement(using: &random)!)
      trace.append("advance \(time)")
      clock.advance(by: time)
    default:
      trace.append("capture on \(session.id)")
      try? await session.context.runDeferredStartIfNeeded()
    }
  }

  /// Makes one call of a client and waits for its end, then checks that a configuration that was refused left
  /// everything as it was.
  private func call(on session: CaptureSession) async throws {
    let command = await randomCommand(session)
    let before = await session.snapshot()
    let outputs = await session.outputIdentities
    let isCancelled = Int.random(in: 0..<6, using: &random) == 0
    trace.append("\(session.id): \(command)\(isCancelled ? ", cancelled" : "")")
    let registry = bench.sessions
    let work = Task { try await command.perform(on: session, in: registry) }
    if isCancelled { work.cancel() }
    let result = await work.result
    trace[trace.count - 1] += " -> \(result.brief)"
    guard case .configure(let asked, _, let validateOnly) = command else { return }
    try await settle()
    let after = await session.snapshot()
    if case .success = result, !validateOnly {
      try check(after.configuration == asked, "\(session.id) has another configuration than the accepted one")
      try check(after.revision <= before.revision + 1, "\(session.id) skips revisions")
      return
    }
    var expected = before
    // The device may have been lost during the call, or the former device may not have started again. Events report
    // both, so the status may differ when there was an event.
    if after.eventID != before.eventID {
      (expected.status, expected.eventID) = (after.status, after.eventID)
      expected.inputStatus = after.inputStatus
    }
    try check(after == expected, "a refused commit changed \(session.id)")
    let kept = await session.outputIdentities
    try check(kept == outputs, "a refused commit changed the outputs of \(session.id)")
  }

  /// Makes calls of several clients at the same time, on one session or on both.
  private func together() async throws {
    var commands: [(CaptureSession, FuzzCommand, Bool)] = []
    for _ in 0..<Int.random(in: 2...4, using: &random) {
      let session = sessions.randomElement(using: &random)!
      commands.append((session, await randomCommand(session), Bool.random(using: &random)))
    }
    trace.append("together: " + commands.map { "\($0.id): \($1)\($2 ? ", cancelled" : "")" }.joined(separator: "; "))
    let registry = bench.sessions
    let tasks = commands.map { session, command, isCancelled in
      let task = Task { try await command.perform(on: session, in: registry) }
      if isCancelled { task.cancel() }
      return task
    }
    for task in tasks { _ = await task.result }
  }

  /// A random call of a client, with an etag that is empty, present or outdated.
  private func randomCommand(_ session: CaptureSession) async -> FuzzCommand {
    let current = await session.snapshot().etag
    let etag = ["", "", current, "stale"].randomElement(using: &random)!
    return switch Int.random(in: 0..<16, using: &random) {
    case 0..<7: .configure(randomConfiguration(), etag: etag, validateOnly: Int.random(in: 0..<5, using: &random) == 0)
    case 7..<11: .start
    case 11..<13: .stop(etag: etag)
    case 13, 14: .runDeferredStart
    default: Int.random(in: 0..<4, using: &random) == 0 ? .delete(etag: etag) : .start
    }
  }

  /// A random configuration, which may have issues.
  private func randomConfiguration() -> SessionConfiguration {
    var configuration = SessionConfiguration()
    if Int.random(in: 0..<12, using: &random) > 0 {
      let device = Int.random(in: 0..<12, using: &random) == 0 ? "nowhere" : Self.cameras.randomElement(using: &random)!
      configuration.inputs = [.init(id: ["camera", "front"].randomElement(using: &random), deviceID: device)]
      configuration.inputs[0].frameRate = [nil, nil, Rational(15, 1)].randomElement(using: &random)!
      if Bool.random(using: &random) { configuration.preset = [.low, .hd4K, .photo].randomElement(using: &random) }
    }
    configuration.automaticallyRunsDeferredStart = [nil, true, false].randomElement(using: &random)!
    let flag: [Bool?] = [nil, nil, true, false]
    if Int.random(in: 0..<6, using: &random) > 0 {
      configuration.preview = .init(
        id: [nil, nil, "wall"].randomElement(using: &random)!, deferredStart: flag.randomElement(using: &random)!)
    }
    if Int.random(in: 0..<4, using: &random) > 0 {
      configuration.photo = .init(
        id: [nil, nil, "wall"].randomElement(using: &random)!, deferredStart: flag.randomElement(using: &random)!,
        zeroShutterLag: flag.randomElement(using: &random)!,
        zeroShutterLagWindow: [nil, 0, 100_000_000, 60_000_000_000].randomElement(using: &random)!)
    }
    configuration.adaptationPolicy = [nil, .client, .server].randomElement(using: &random)!
    if Int.random(in: 0..<3, using: &random) == 0 {
      let outputs = [configuration.preview?.id ?? "preview", configuration.photo?.id ?? "photo"]
      configuration.connections = outputs.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }.map {
        .init(
          input: configuration.inputs.first?.id ?? "camera", output: $0, isEnabled: flag.randomElement(using: &random)!,
          rotationAngle: [nil, 90, 270].randomElement(using: &random)!)
      }
    }
    return configuration
  }

  /// Decides how outputs that sessions make from now on are prepared.
  private func makeOutputs(failing: Bool) {
    bench.onMake { [slowness] output in
      output.delayPreparation(turns: slowness)
      if failing { output.failPreparation(CaptureError(.processingFailed, "no")) }
    }
  }

  /// Makes resolving, preparing or starting fail from now on.
  private func setTrouble() {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      trace.append("resolving fails")
      bench.provider.failResolving(CaptureError(.formatNotSupported, "no"))
    case 1:
      trace.append("new outputs cannot be prepared")
      makeOutputs(failing: true)
    default:
      let error = Self.deviceErrors.randomElement(using: &random)!
      let camera = [nil, "fake-0", "fake-1"].randomElement(using: &random)!
      trace.append("starts of \(camera ?? "all") fail: \(error.reason)")
      bench.provider.failStarts(error, of: camera)
    }
  }

  /// Sets a random pressure of the machine and of one camera.
  private func press() async {
    let levels = [PressureLevel.nominal] + PressureLevel.allCases
    let (level, hot) = (levels.randomElement(using: &random)!, levels.randomElement(using: &random)!)
    trace.append("pressure \(level), fake-1 \(hot)")
    // The rates are high enough that no frame is left out, because `send` checks that every output gets every frame.
    await bench.sessions.setPressure(
      PressureDemands(
        machine: .fake(level, rate: 60), devices: ["fake-1": .fake(max(level, hot), rate: 60)]))
  }

  /// Tells the session that a reader of the preview was handed the newest frame.
  private func sendFirst(_ session: CaptureSession) async {
    guard let frame = await session.frames.ring.newest else { return }
    trace.append("\(session.id): a reader of preview has a frame")
    await session.context.didSend(frame.frame, from: "preview")
  }

  // MARK: - Quiet

  /// Returns when nothing is under way any more except timers that wait for the clock.
  ///
  /// - Throws: ``Violation`` when the sessions do not come to rest.
  private func settle() async throws {
    for _ in 0..<100_000 {
      var waiting = 0
      for session in sessions {
        await session.port.drain()
        await session.deferredStartEnded()
        try? await session.serially { _ in }
        waiting += await session.timers
      }
      if clock.sleeping == waiting { return }
      await Task.yield()
    }
    throw Violation(description: "the sessions do not come to rest: \(clock.sleeping) tasks wait for the clock")
  }

  /// Throws ``Violation`` when `holds` is false.
  private func check(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw Violation(description: what()) }
  }
}

/// A call that a client can make.
enum FuzzCommand: CustomStringConvertible, Sendable {
  case configure(SessionConfiguration, etag: String, validateOnly: Bool)
  case start
  case stop(etag: String)
  case runDeferredStart
  case delete(etag: String)

  /// Makes the call and waits for its end.
  ///
  /// - Throws: the error of the call.
  func perform(on session: CaptureSession, in sessions: SessionRegistry) async throws {
    switch self {
    case .configure(let configuration, let etag, let validateOnly):
      _ = try await session.configure(configuration, etag: etag, validateOnly: validateOnly)
    case .start: _ = try await session.start(requestedAt: 1)
    case .stop(let etag): _ = try await session.stop(etag: etag)
    case .runDeferredStart: try await session.runDeferredStart()
    case .delete(let etag): try await sessions.delete(session.id, etag: etag)
    }
  }

  var description: String {
    switch self {
    case .configure(let asked, let etag, let validateOnly):
      "configure \(asked.inputs.map { "\($0.id ?? "") \($0.deviceID) \($0.frameRate?.description ?? "")" }) preset "
        + "\(asked.preset.map { "\($0)" } ?? "-") auto \(asked.automaticallyRunsDeferredStart.brief) preview "
        + "\(asked.preview.map { "\($0.id ?? "") \($0.deferredStart.brief)" } ?? "none") photo "
        + "\(asked.photo.map { "\($0.id ?? "") \($0.deferredStart.brief) \($0.zeroShutterLag.brief)" } ?? "none") "
        + "connections \(asked.connections.map { "\($0.output) \($0.isEnabled.brief) \($0.rotationAngle ?? 0)" }) "
        + "etag \"\(etag)\"\(validateOnly ? " validate only" : "")"
    case .start: "start"
    case .stop(let etag): "stop \"\(etag)\""
    case .runDeferredStart: "run deferred start"
    case .delete(let etag): "delete \"\(etag)\""
    }
  }
}

extension Bool? {
  fileprivate var brief: String { self.map { $0 ? "yes" : "no" } ?? "-" }
}

extension Result {
  fileprivate var brief: String {
    switch self {
    case .success: "ok"
    case .failure(let error as CaptureError): error.reason.rawValue
    case .failure(let error as ConfigurationError): error.issues[0].reason.rawValue
    case .failure(let error): "\(error)"
    }
  }
}

extension CaptureSession {
  /// The number of the session's timers that wait for the clock: the retries of its camera and the limit of deferred
  /// start.
  fileprivate var timers: Int { (pipelines[0].retries.isRunning ? 1 : 0) + (waitsForReaders ? 1 : 0) }
}
