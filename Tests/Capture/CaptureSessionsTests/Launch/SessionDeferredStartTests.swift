import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests when a session prepares its deferred outputs: at a client's request, by itself, or because an output needs it.
@Suite struct SessionDeferredStartTests {
  /// In manual mode, frames do not prepare the deferred output. A request does, once, with an event before and an event
  /// after it, and the preparation begins only after the start returned.
  @Test("C7: manual deferred start waits for the client's request") func manualDeferredStartWaitsForTheRequest()
    async throws
  {
    let bench = Bench()
    let (session, source) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    source.send(count: 2)
    #expect(bench.output("preview")?.prepared.count == 1)
    #expect(bench.output("photo")?.prepared.count == 0)
    try await session.runDeferredStart()
    try await session.runDeferredStart()
    let did = try await event(of: session) { $0 == .didRunDeferredStart(outputs: ["photo"]) }
    #expect(bench.output("photo")?.prepared.count == 1)
    let will = try await event(of: session) { $0 == .willRunDeferredStart(outputs: ["photo"]) }
    #expect(will.id < did.id)
    let timeline = await session.launchTimeline()
    #expect(try #require(timeline.outputs["photo"]?.begin) > #require(timeline.startReturned))
  }

  @Test("C7: requesting deferred start in automatic mode is refused") func requestingAutomaticDeferredStartIsRefused()
    async throws
  {
    let (session, _) = try await Bench().running()
    #expect(await reason { try await session.runDeferredStart() } == .automaticDeferredStart)
  }

  /// When no reader takes the first frame, the deferred output is prepared after a limited time nevertheless.
  @Test("C6: automatic deferred start runs without a reader") func automaticDeferredStartRunsWithoutAReader()
    async throws
  {
    let bench = Bench()
    let (session, source) = try await bench.running()
    source.send(count: 1)
    _ = try await event(of: session) { $0 == .didRunDeferredStart(outputs: ["photo"]) }
    #expect(bench.output("photo")?.prepared.count == 1)
  }

  /// When one of several cameras is slow to start, the limit may pass before the start returns.
  @Test("C6: the limit may pass while another camera starts", .timeLimit(.minutes(1)))
  func theLimitPassesWhileAnotherCameraStarts() async throws {
    let clock = ManualClock()
    let bench = Bench.ofCameras(clock: clock)
    bench.onMake { if $0.id == "data-1" { $0.preparation.close() } }
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    let configuration = SessionConfiguration.cameras([0, 1]) {
      $0.photo = .init()
      $0.connections.append(.init(input: "cam-0", output: "photo"))
    }
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    let start = Task { try await session.start(requestedAt: 1) }
    let source = try await bench.provider.sources.wait(count: 1)[0]
    while await session.inputStates != ["cam-0 running", "cam-1 starting"] { await Task.yield() }
    source.send()
    while clock.sleeping == 0 { await Task.yield() }
    clock.advance(by: .seconds(60))
    while await session.waitsForReaders { await Task.yield() }
    #expect(try await events(of: session).contains(.willRunDeferredStart(outputs: ["photo"])))
    bench.output("data-1")?.preparation.open()
    #expect(try await start.value.status.state == .running)
    await session.deferredStartEnded()
    #expect(bench.output("photo")?.prepared.count == 1)
  }

  /// A deferred output that a commit adds is prepared after the limit, although the first frame of the stream came
  /// before the commit.
  @Test("C6: an output that is added to a running session is prepared without a reader")
  func anAddedOutputIsPreparedWithoutAReader() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running { $0.photo = nil }
    source.send()
    _ = try await bench.output("preview")?.frames.wait(count: 1)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    _ = try await event(of: session) { $0 == .didRunDeferredStart(outputs: ["photo"]) }
    #expect(bench.output("photo")?.prepared.count == 1)
  }

  /// A capture that needs the deferred photo output runs deferred start even in manual mode, once, and waits until the
  /// output is prepared.
  @Test("C8: an output that needs deferred start runs it") func anOutputCanRunDeferredStart() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    try await session.context.runDeferredStartIfNeeded()
    #expect(bench.output("photo")?.prepared.count == 1)
    try await session.context.runDeferredStartIfNeeded()
    #expect(bench.output("photo")?.prepared.count == 1)
  }

  /// In a stopped session the request of an output fails with `sessionNotRunning` and prepares nothing.
  @Test func anOutputOfAStoppedSessionCannotRunDeferredStart() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running { $0.automaticallyRunsDeferredStart = false }
    _ = try await session.stop(etag: "")
    #expect(await reason { try await session.context.runDeferredStartIfNeeded() } == .sessionNotRunning)
    #expect(bench.output("photo")?.prepared.count == 0)
  }

  @Test("C5: when every output is deferred, the start prepares all of them")
  func deferringAllOutputsPreparesThemAtStart() async throws {
    let bench = Bench()
    _ = try await bench.running { $0.preview?.deferredStart = true }
    #expect(bench.output("preview")?.prepared.count == 1)
    #expect(bench.output("photo")?.prepared.count == 1)
  }
}
