import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests when a session prepares its outputs: the outputs that are not deferred before the device starts, the deferred
/// ones later, and each only once.
@Suite struct DeferredPreparationTests {
  private let will = SessionEvent.willRunDeferredStart(outputs: ["photo"])
  private let did = SessionEvent.didRunDeferredStart(outputs: ["photo"])

  /// A configured session that does not run. None of its outputs becomes prepared before the test opens the output's
  /// gate.
  private func held(
    _ bench: Bench, _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) async throws -> CaptureSession {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(change), etag: "", validateOnly: false)
    for output in bench.made.all { output.preparation.close() }
    return session
  }

  /// A running session whose photo output is being prepared until the test opens the output's gate.
  private func preparingPhoto(_ bench: Bench) async throws -> (session: CaptureSession, photo: FakeOutput) {
    let session = try await held(bench) { $0.automaticallyRunsDeferredStart = false }
    let photo = try #require(bench.output("photo"))
    bench.output("preview")?.preparation.open()
    _ = try await session.start(requestedAt: 1)
    try await session.runDeferredStart()
    try await photo.preparation.arrivals.wait(count: 1)
    return (session, photo)
  }

  /// The events of deferred start until now.
  private func deferredEvents(_ session: CaptureSession) async throws -> [SessionEvent] {
    var events: [SessionEvent] = []
    for id in 0..<session.events.lastID {
      let payload = try await session.events.entry(after: id).payload
      if payload == will || payload == did { events.append(payload) }
    }
    return events
  }

  /// A start prepares all outputs that are not deferred at the same time, and opens the device when all are prepared,
  /// so that the launch takes only as long as the slowest output.
  @Test func undeferredOutputsArePreparedConcurrently() async throws {
    let bench = Bench()
    let session = try await held(bench) { $0.photo?.deferredStart = false }
    let start = Task { try await session.start(requestedAt: 1) }
    // If the session prepared one output after the other, the second would not arrive before the first is prepared.
    for output in bench.made.all { try await output.preparation.arrivals.wait(count: 1) }
    #expect(bench.provider.sources.count == 0, "the device starts after the outputs are prepared")
    for output in bench.made.all { output.preparation.open() }
    #expect(try await start.value.status.state == .running)
  }

  /// A start fails with the error of an output that cannot be prepared. After the cause is gone, the session starts.
  @Test func anOutputThatCannotBePreparedFailsTheStart() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    bench.output("preview")?.failPreparation(CaptureError(.processingFailed, "no thread"))
    #expect(await reason { _ = try await session.start(requestedAt: 1) } == .processingFailed)
    bench.output("preview")?.failPreparation(nil)
    #expect(try await session.start(requestedAt: 2).status.state == .running)
  }

  /// A stop during a deferred start breaks the run off, so that watchers are not told that it ended. The run of the
  /// next start waits for the preparation that is under way, and does not prepare the output a second time.
  @Test func aStopDuringDeferredStartReportsNoEndAndPreparesOnce() async throws {
    let bench = Bench()
    let (session, photo) = try await preparingPhoto(bench)
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 2)
    try await session.runDeferredStart()
    photo.preparation.open()
    _ = try await event(of: session) { $0 == did }
    #expect(try await deferredEvents(session) == [will, will, did])
    #expect(photo.prepared.count == 1, "the second run waited for the preparation of the first")
  }

  /// When an output cannot be prepared, the session goes on and reports the error. The next request runs deferred start
  /// again, and the timeline has an end only after a run that succeeded.
  @Test("C8: a failed deferred start can be repeated") func aFailedDeferredStartCanBeRepeated() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    let photo = try #require(bench.output("photo"))
    photo.failPreparation(CaptureError(.processingFailed, "no thread"))
    #expect(await reason { try await session.context.runDeferredStartIfNeeded() } == .processingFailed)
    _ = try await event(of: session) { if case .runtimeError = $0 { true } else { false } }
    #expect(await session.launchTimeline().deferredStart.end == nil)
    photo.failPreparation(nil)
    try await session.context.runDeferredStartIfNeeded()
    #expect(try await deferredEvents(session) == [will, will, did])
    #expect(await session.launchTimeline().deferredStart.end != nil)
    #expect(await session.snapshot().status.state == .running)
  }

  /// A commit that no longer defers an output whose preparation is under way waits for the preparation instead of
  /// preparing the output twice.
  @Test func aCommitThatNoLongerDefersWaitsForThePreparation() async throws {
    let bench = Bench()
    let (session, photo) = try await preparingPhoto(bench)
    let commit = Task {
      try await session.configure(
        Bench.configuration { $0.photo?.deferredStart = false }, etag: "", validateOnly: false)
    }
    photo.preparation.open()
    _ = try await commit.value
    #expect(photo.prepared.count == 1)
    _ = try await event(of: session) { $0 == did }
  }
}

/// Tests how watchers learn of the steps of a launch, from the request to start until the first settled frame.
@Suite struct LaunchTests {
  /// Watchers get the timeline when the start returned, when a reader had the first frame, when deferred start ended
  /// and when the exposure settled. The times are those of the frames.
  @Test("C1: after each step of a launch, watchers are told the timeline so far")
  func eachStepIsReportedWithTheTimeline() async throws {
    let measured = Recorder<UInt64>()
    let bench = Bench(meanLuma: { frame in
      measured.append(frame.sequence)
      return 100
    })
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 1)
    let source = try #require(bench.provider.sources.all.last)
    let returned = try await step(of: session) { $0.startReturned != nil }
    #expect(returned.startRequested == 1)

    source.send()
    let first = try #require(try await bench.output("preview")?.frames.wait(count: 1).first?.frame)
    await session.context.didSend(first, from: "preview")
    let sent = try await step(of: session) { $0.firstFrameSent != nil }
    #expect(sent.firstFrame?.captured == first.time.monotonic)
    #expect(sent.firstFrame?.streamID == source.streamID)
    _ = try await step(of: session) { $0.deferredStart.end != nil }

    // The test waits until a frame is measured before it sends the next one, because a frame that comes meanwhile would
    // not be measured.
    for count in 1...2 {
      try await measured.wait(count: count)
      source.send()
    }
    let settled = try await step(of: session) { $0.firstSettledFrame != nil }
    #expect(settled.firstSettledFrame?.sequence == 0)
    #expect(settled.firstSettledFrame?.captured == first.time.monotonic)
  }

  /// The timeline of a new start has no step of the former launch. A frame of the former stream that a reader gets late
  /// does not count as the first frame of the new launch.
  @Test func aNewStartForgetsTheFormerLaunch() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    source.send()
    let former = try #require(try await bench.output("preview")?.frames.wait(count: 1).first?.frame)
    await session.context.didSend(former, from: "preview")
    _ = try await step(of: session) { $0.firstFrameSent != nil }
    try await session.runDeferredStart()
    _ = try await step(of: session) { $0.deferredStart.end != nil }

    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 2)
    // This frame of the former stream was still on its way to a reader that stayed.
    await session.context.didSend(former, from: "preview")
    let again = try #require(bench.provider.sources.all.last)
    again.send()
    let first = try #require(try await bench.output("preview")?.frames.wait(count: 2).last?.frame)
    let timeline = await session.launchTimeline()
    #expect(timeline.startRequested == 2)
    #expect(timeline.firstFrameSent == nil)
    #expect(timeline.deferredStart.begin == nil)
    #expect(timeline.deferredStart.end == nil)
    await session.context.didSend(first, from: "preview")
    let sent = try await step(of: session) { $0.startRequested == 2 && $0.firstFrameSent != nil }
    #expect(sent.firstFrame?.streamID == again.streamID)
  }

  /// Waits for a timeline that `fits`, and returns it.
  private func step(
    of session: CaptureSession, _ fits: (LaunchTimeline) -> Bool
  ) async throws -> LaunchTimeline {
    let entry = try await event(of: session) {
      if case .launchTimeline(let timeline) = $0 { fits(timeline) } else { false }
    }
    guard case .launchTimeline(let timeline) = entry.payload else { throw CancellationError() }
    return timeline
  }
}
