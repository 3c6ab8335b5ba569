import CaptureCore
import CaptureTestKit

@testable import CaptureSessions

/// The invariants of sessions that are at rest, regardless of the commands before. Remembers what each session's events
/// have told, because later events must follow from them.
struct SessionInvariants {
  /// An output of a session, and whether the session counts it as prepared.
  fileprivate struct Hosted {
    let output: any CaptureOutput
    let isPrepared: Bool
  }
  /// What the events of one session have told until now.
  private struct Told {
    var isReconfiguring = false
    var stream: UInt64 = 0
    var isTakingStill = false
    var lastEvent: UInt64 = 0
    var status = SessionStatus(.stopped)
    var revision: UInt64 = 0
    /// Whether the session was interrupted when it was checked last, and held no camera because another session held
    /// the one that it needs.
    var lacksCamera = false
    /// The outputs whose deferred start the present commit announced; nil when it announced none. ``did`` and
    /// ``hasFailed`` belong to the present commit too.
    var will: [String]?
    var did = false
    var hasFailed = false
    var announced: InterruptionReason?
    var hasResumed = false
    var steps: [AdaptationStep] = []
  }

  private let bench: Bench
  private var told: [String: Told] = [:]
  /// The number of frames that each closed output had when it was first found closed. A closed output must get no more.
  private var framesOfClosed: [ObjectIdentifier: Int] = [:]

  init(bench: Bench) { self.bench = bench }

  /// Checks all sessions, their cameras and their outputs.
  ///
  /// - Throws: ``SessionFuzzer/Violation`` for the first invariant that does not hold.
  mutating func check(_ sessions: [CaptureSession]) async throws {
    let holders = bench.devices.holders
    var open: [FakeOutput] = []
    var streaming: [String] = []
    for session in sessions {
      let (snapshot, outputs) = (await session.snapshot(), await session.hosted)
      let (state, device) = (snapshot.status.state, snapshot.resolved.input?.deviceID)
      try hold([.stopped, .running, .interrupted].contains(state), "\(session.id) rests \(state)")
      let live = await session.source as? FakeSource
      // While a stalled camera is being retried, the session has a source although it is interrupted.
      let isTried = await session.life.hasSource
      try hold(!isTried || snapshot.status.interruption == .deviceStalled, "\(session.id) tries a camera, \(state)")
      try hold(
        (live != nil) == (state == .running || isTried), "\(session.id) is \(state) with source \(live != nil)")
      if let live, let device {
        streaming.append(device)
        try hold(live.isLive && live.deviceID == device, "\(session.id) streams \(live.deviceID), not \(device)")
      }
      let former = told[session.id] ?? Told()
      let held = holders.filter { $0.value == session.id }.map(\.key)
      told[session.id, default: Told()].lacksCamera = state == .interrupted && held.isEmpty
      switch state {
      case .running: try hold(held == [device], "\(session.id) runs \(device ?? "-") and holds \(held)")
      case .interrupted:
        // A session that is interrupted can commit a camera that another session holds. When that session releases the
        // camera, this session claims it at its next check of the camera.
        let other = device.flatMap { holders[$0] }
        let mayWait = other != nil || former.lacksCamera || former.revision != snapshot.revision
        try hold(
          held == [device] || (held.isEmpty && mayWait),
          "\(session.id) waits for \(device ?? "-"), \(snapshot.status), and holds \(held) of \(holders)")
      default:
        try hold(held.isEmpty, "\(session.id) is \(state) and holds \(held)")
        try hold(await session.frames.settling?.isLooking == false, "\(session.id) is \(state) and watches exposure")
        let kept = await session.frames.ring.count
        try hold(kept == 0, "\(session.id) is \(state) and keeps frames")
      }
      let demand = await session.demandOfPressure
      let rest: InterruptionReason? =
        await session.conditions.isSystemAsleep ? .systemSuspend : demand.level == .shutdown ? .systemPressure : nil
      if state == .interrupted {
        try hold(
          rest == nil ? snapshot.status.interruption?.isRest == false : snapshot.status.interruption == rest,
          "\(session.id) is \(snapshot.status) at \(demand.level), rest \(rest as Any)")
      }
      try hold(state != .running || rest == nil, "\(session.id) runs although it must rest")
      if await session.isAlive {
        let wanted = snapshot.resolved.adaptationPolicy == .server ? demand.steps : []
        try hold(snapshot.adaptationSteps == wanted, "\(session.id) does not take the steps that the pressure asks for")
      }
      try await check(outputs, of: session, snapshot)
      open += outputs.compactMap { $0.output as? FakeOutput }
      try await follow(session, snapshot, outputs)
    }
    let live = bench.provider.sources.all.filter(\.isLive).map(\.deviceID)
    try hold(live.sorted() == streaming.sorted(), "open are \(live), streaming are \(streaming)")
    try checkClosed(besides: open)
  }

  /// Checks that deleted sessions hold nothing: no camera, no open output, no events.
  mutating func checkEnded(_ sessions: [CaptureSession]) async throws {
    try await check(sessions)
    try hold(bench.devices.holders.isEmpty, "deleted sessions hold \(bench.devices.holders)")
    try hold(bench.made.all.allSatisfy { $0.closings.count == 1 }, "a deleted session left an output open")
    for session in sessions {
      do {
        _ = try await session.events.entry(after: session.events.lastID)
        try hold(false, "the events of \(session.id) go on")
      } catch let error as CaptureError { try hold(error.reason == .sessionNotFound, "\(error)") }
    }
  }

  /// Sends a frame and checks that it reaches every connected output of the source's session, and no other output.
  mutating func send(from source: FakeSource, to sessions: [CaptureSession]) async throws {
    let before = bench.made.all.map(\.frames.count)
    guard let frame = source.send() else { throw SessionFuzzer.Violation(description: "no memory for a frame") }
    for session in sessions where await session.source === source {
      let snapshot = await session.snapshot()
      for hosted in await session.hosted {
        guard snapshot.resolved.outputs.first(where: { $0.id == hosted.output.id })?.connection?.isEnabled == true
        else { continue }
        let last = (hosted.output as? FakeOutput)?.frames.all.last
        try hold(last?.frame.streamID == frame.streamID, "\(hosted.output.id) of \(session.id) did not get the frame")
        try hold(
          last?.configRevision == snapshot.revision && last?.input == snapshot.resolved.input?.id,
          "a frame of \(session.id) says \(last?.input ?? "-") \(last?.configRevision ?? 0)")
      }
      let got = zip(bench.made.all, before).filter { $0.frames.count != $1 }.count
      let connected = snapshot.resolved.outputs.filter { $0.connection?.isEnabled == true }.count
      try hold(got == connected, "\(got) of \(connected) outputs got a frame of \(session.id)")
    }
  }

  /// Checks that the outputs of a session are those of its configuration, and that each has the conditions of the
  /// session and was prepared at most once.
  private func check(_ outputs: [Hosted], of session: CaptureSession, _ snapshot: SessionSnapshot) async throws {
    let ids = outputs.map(\.output.id).sorted()
    if await session.isAlive { try hold(ids == snapshot.resolved.outputs.map(\.id).sorted(), "outputs are \(ids)") }
    let deferred = Set(snapshot.resolved.deferredOutputs)
    let limits = await session.adaptation.pictures
    for hosted in outputs {
      guard let output = hosted.output as? FakeOutput else { continue }
      try hold(output.limits.all.last == limits, "\(output.id) keeps to \(output.limits.all.last as Any)")
      try hold(output.closings.count == 0, "\(output.id) of \(session.id) is closed and in use")
      let connection = snapshot.resolved.outputs.first { $0.id == output.id }?.connection
      try hold(
        output.connections.all.last == connection ?? Connection(isEnabled: false),
        "\(output.id) believes \(output.connections.all.last as Any)")
      try hold(output.statuses.all.last == snapshot.status, "\(output.id) believes \(output.statuses.all.last as Any)")
      try hold(
        output.prepared.count == (hosted.isPrepared ? 1 : 0), "\(output.id) was prepared \(output.prepared.count) times"
      )
      if snapshot.status.state == .running, !deferred.contains(output.id) {
        try hold(hosted.isPrepared, "\(output.id) of running \(session.id) is not prepared")
      }
    }
  }

  /// Checks that every output that no session has was closed once and got no frame afterwards.
  private mutating func checkClosed(besides open: [FakeOutput]) throws {
    let open = Set(open.map(ObjectIdentifier.init))
    for output in bench.made.all where !open.contains(ObjectIdentifier(output)) {
      try hold(output.closings.count == 1, "\(output.id), of no session, was closed \(output.closings.count) times")
      let known = framesOfClosed[ObjectIdentifier(output)]
      try hold(known == nil || known == output.frames.count, "\(output.id) got a frame after it was closed")
      framesOfClosed[ObjectIdentifier(output)] = output.frames.count
    }
  }

  // MARK: - Events

  /// Reads the session's new events and checks that they lead to the session's present state.
  private mutating func follow(
    _ session: CaptureSession, _ snapshot: SessionSnapshot, _ outputs: [Hosted]
  ) async throws {
    var told = self.told[session.id] ?? Told()
    for event in try await events(of: session, after: told.lastEvent) { try follow(event, &told, session.id) }
    told.lastEvent = session.events.lastID
    self.told[session.id] = told
    try hold(told.status == snapshot.status, "\(session.id) is \(snapshot.status), but its events say \(told.status)")
    try hold(told.steps == snapshot.adaptationSteps, "\(session.id) took \(snapshot.adaptationSteps.count) steps")
    try hold(told.revision == snapshot.revision, "\(session.id) has \(snapshot.revision), events say \(told.revision)")
    guard told.did, let will = told.will else { return }
    for hosted in outputs where will.contains(hosted.output.id) {
      try hold(hosted.isPrepared, "\(hosted.output.id) was reported as prepared and is not")
    }
  }

  /// Checks that one event may follow the events before it.
  private func follow(_ event: SessionEvent, _ told: inout Told, _ id: String) throws {
    switch event {
    case .stateChanged(let status):
      let path = "\(told.status.state) -> \(status.state)"
      try hold(Self.paths.contains(path), "\(id): \(path)")
      if status.state == .interrupted {
        try hold(told.announced == status.interruption, "\(id) was interrupted without an event that gives the reason")
      }
      if path == "stopped -> interrupted" {
        try hold(status.interruption?.isRest == true, "\(id) waits for a start that was refused")
      }
      if path == "interrupted -> running" { try hold(told.hasResumed, "\(id) resumed without an event") }
      // Outputs that were not prepared are deferred again until the next start.
      if status.state == .stopped, !told.did { told.will = nil }
      (told.status, told.announced, told.hasResumed) = (status, nil, false)
    case .wasInterrupted(let reason, _, _): told.announced = reason
    case .interruptionEnded: told.hasResumed = true
    case .configurationCommitted(_, let revision, let reconfigured):
      try hold(reconfigured == told.isReconfiguring, "\(id): revision \(revision) took long, or not")
      try hold(revision == told.revision + 1, "\(id): revision \(revision) after \(told.revision)")
      try hold(told.will == nil || told.did || told.hasFailed, "\(id) committed during a deferred start")
      (told.revision, told.will, told.did, told.hasFailed) = (revision, nil, false, false)
    case .willRunDeferredStart(let outputs):
      try hold(told.will == nil || told.hasFailed, "\(id) ran deferred start twice in a commit")
      (told.will, told.hasFailed) = (outputs, false)
    case .didRunDeferredStart(let outputs):
      try hold(told.will == outputs && !told.did, "\(id): did without will, or twice")
      told.did = true
    case .runtimeError: told.hasFailed = true
    case .launchTimeline, .costChanged, .inputChanged, .audioLost: break
    case .adaptationApplied(let step, _, _, _): told.steps.append(step)
    case .adaptationUndone(let step, _, _, _):
      try hold(told.steps.popLast() == step, "\(id): \(step) was undone out of order")
    case .stillCapture(let begins, _):
      try hold(begins != told.isTakingStill, "\(id) began a still capture in another, or ended none")
      told.isTakingStill = begins
    case .streamChanged(let streamID, _, _):
      try hold(streamID > told.stream, "\(id): stream \(streamID) followed upon \(told.stream)")
      told.stream = streamID
    case .reconfigurationStarted:
      try hold(!told.isReconfiguring, "\(id) began a reconfiguration in another")
      told.isReconfiguring = true
    case .reconfigurationFinished(let revision):
      try hold(told.isReconfiguring, "\(id) ended a reconfiguration that did not begin")
      try hold(revision == told.revision, "\(id) ended with revision \(revision), but its events say \(told.revision)")
      told.isReconfiguring = false
    }
  }

  /// The changes of state that events may report.
  private static let paths: Set<String> = [
    "stopped -> starting", "starting -> running", "starting -> stopped", "running -> stopping", "stopping -> stopped",
    "stopped -> interrupted", "running -> interrupted", "interrupted -> running", "interrupted -> interrupted",
    "interrupted -> stopped", "interrupted -> stopping",
  ]

  /// Throws ``SessionFuzzer/Violation`` when `holds` is false.
  private func hold(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw SessionFuzzer.Violation(description: what()) }
  }
}

extension CaptureSession {
  /// The session's outputs.
  fileprivate var hosted: [SessionInvariants.Hosted] {
    outputs.hosted.values.map { SessionInvariants.Hosted(output: $0.output, isPrepared: $0.isPrepared) }
  }

  /// Whether the session was not deleted.
  fileprivate var isAlive: Bool { (try? lifetime.checkAlive()) != nil }
}
