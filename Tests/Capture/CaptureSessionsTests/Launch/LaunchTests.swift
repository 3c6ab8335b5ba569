import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

@Suite struct DeferredPreparationTests {
  private let will = SessionEvent.willRunDeferredStart(outputs: ["photo"])
  private let did = SessionEvent.didRunDeferredStart(outputs: ["photo"])

  /// A configured session whose outputs are not prepared before their gates are opened.
  private func held(
    _ bench: Bench, _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) async throws -> CaptureSession {
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(change), etag: "", validateOnly: false)
    for output in bench.made.all { output.preparation.close() }
    return session
  }

  private func deferredEvents(_ session: CaptureSession) async throws -> [SessionEvent] {
    var events: [SessionEvent] = []
    for id in 0..<session.events.lastID {
      let payload = try await session.events.entry(after: id).payload
      if payload == will || payload == did { events.append(payload) }
    }
    return events
  }

  @Test func undeferredOutputsArePreparedSideBySide() async throws {
    let bench = Bench()
    let session = try await held(bench) { $0.photo?.deferredStart = false }
    let start = Task { try await session.start(requestedAt: 1) }
    // One after the other, the second would not come before the first is through.
    for output in bench.made.all { try await output.preparation.arrivals.wait(count: 1) }
    #expect(bench.provider.sources.count == 0, "the device waits for them")
    for output in bench.made.all { output.preparation.open() }
    #expect(try await start.value.status.state == .running)
  }

  @Test func anOutputThatCannotBePreparedFailsTheStart() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    bench.output("preview")?.failPreparation(CaptureError(.processingFailed, "no thread"))
    #expect(await reason { _ = try await session.start(requestedAt: 1) } == .processingFailed)
    bench.output("preview")?.failPreparation(nil)
    #expect(try await session.start(requestedAt: 2).status.state == .running)
  }

  @Test func aStopBeforeItIsReadyTellsNothingAndTheNextStartPreparesNothingTwice() async throws {
    let bench = Bench()
    let session = try await held(bench) { $0.automaticallyRunsDeferredStart = false }
    let photo = try #require(bench.output("photo"))
    bench.output("preview")?.preparation.open()
    _ = try await session.start(requestedAt: 1)
    try await session.runDeferredStart()
    try await photo.preparation.arrivals.wait(count: 1)
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 2)
    try await session.runDeferredStart()
    photo.preparation.open()
    _ = try await event(of: session) { $0 == did }
    #expect(try await deferredEvents(session) == [will, will, did])
    #expect(photo.prepared.count == 1, "the second run waited for what the first had begun")
  }

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

  @Test func aCommitThatNoLongerDefersWaitsForWhatIsUnderWay() async throws {
    let bench = Bench()
    let session = try await held(bench) { $0.automaticallyRunsDeferredStart = false }
    let photo = try #require(bench.output("photo"))
    bench.output("preview")?.preparation.open()
    _ = try await session.start(requestedAt: 1)
    try await session.runDeferredStart()
    try await photo.preparation.arrivals.wait(count: 1)
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

@Suite struct LaunchTests {
  @Test("C1: each step of a launch is told with the timeline so far") func eachStepIsTold() async throws {
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
    #expect(sent.firstFrameCaptured == first.time.monotonic)
    #expect(sent.streamID == source.streamID)
    _ = try await step(of: session) { $0.deferredStart.end != nil }

    // A frame that comes while another is measured would be left out.
    for count in 1...2 {
      try await measured.wait(count: count)
      source.send()
    }
    let settled = try await step(of: session) { $0.firstSettledFrame != nil }
    #expect(settled.firstSettledFrame?.sequence == 0)
    #expect(settled.firstSettledFrame?.captured == first.time.monotonic)
  }

  @Test func aNewStartForgetsTheFormerLaunchAndItsStream() async throws {
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
    // Still on its way to a reader who stayed.
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
    #expect(sent.streamID == again.streamID)
  }

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
