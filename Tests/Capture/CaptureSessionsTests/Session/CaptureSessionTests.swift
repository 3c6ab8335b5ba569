import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests what a client sees of a session: starting, stopping, committing, interruptions and deletion.
@Suite struct CaptureSessionTests {
  /// A start without an input fails with `noInput`, also after a configuration that has outputs alone, and a start
  /// without an output fails with `noOutput`.
  @Test("A2: start needs an input and an output") func startNeedsAnInputAndAnOutput() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .noInput)
    _ = try await session.configure(Bench.configuration { $0.inputs = [] }, etag: "", validateOnly: false)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .noInput)
    let inputOnly = Bench.configuration {
      $0.preview = nil
      $0.photo = nil
    }
    _ = try await session.configure(inputOnly, etag: "", validateOnly: false)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .noOutput)
  }

  /// Every frame reaches every output once, with the id of its input and the revision of the configuration, so that an
  /// output can tell frames of different commits apart.
  @Test func framesReachEveryOutputWithInputAndRevision() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    source.send(count: 3)
    let preview = try #require(bench.output("preview"))
    let frames = try await preview.frames.wait(count: 3)
    #expect(frames.map(\.input) == ["camera", "camera", "camera"])
    #expect(frames.map(\.configRevision) == [1, 1, 1])
    #expect(bench.output("photo")?.frames.count == 3)
    #expect(await session.snapshot().status.state == .running)
  }

  /// While a session runs, another session cannot start on its device. After a stop the device is closed and the other
  /// session can start.
  @Test func stopFreesTheDevice() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    let other = try await bench.sessions.create(id: "other", idleTimeout: 0)
    _ = try await other.configure(Bench.configuration(), etag: "", validateOnly: false)
    #expect(await reason { _ = try await other.start(requestedAt: 0) } == .deviceInUse)
    let stopped = try await session.stop(etag: "")
    #expect(stopped.status.state == .stopped)
    #expect(!source.isLive)
    #expect(try await other.start(requestedAt: 0).status.state == .running)
  }

  /// Starts of a session that runs succeed without opening the device again.
  @Test func concurrentStartsOpenTheDeviceOnce() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running()
    async let first = session.start(requestedAt: 2)
    async let second = session.start(requestedAt: 3)
    _ = try await (first, second)
    #expect(bench.provider.sources.count == 1)
  }

  /// Committing the present configuration gives no new etag, no event and no restart.
  @Test func anEqualConfigurationChangesNothing() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    let before = await session.snapshot()
    let result = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    #expect(result.snapshot.etag == before.etag)
    #expect(result.snapshot.eventID == before.eventID)
    #expect(!result.reconfigured)
    #expect(source.isLive)
  }

  /// A commit with the etag of an earlier configuration is refused with `etagMismatch`, so that a client does not undo
  /// the commit of another client by mistake.
  @Test func anOutdatedEtagRefusesACommit() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    let first = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    let changed = Bench.configuration { $0.preset = .low }
    _ = try await session.configure(changed, etag: first.snapshot.etag, validateOnly: false)
    #expect(
      await reason {
        _ = try await session.configure(Bench.configuration(), etag: first.snapshot.etag, validateOnly: false)
      }
        == .etagMismatch)
    #expect(await session.snapshot().configuration == changed)
  }

  /// Validating a configuration returns its issues and neither commits it nor makes outputs.
  @Test func validateOnlyReportsIssuesAndChangesNothing() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    let result = try await session.configure(
      Bench.configuration { $0.inputs[0].deviceID = "none" }, etag: "", validateOnly: true)
    #expect(result.issues.map(\.reason) == [.deviceNotFound])
    #expect(await session.snapshot().revision == 0)
    #expect(bench.made.count == 0)
  }

  /// Removing an output closes that output with `outputRemoved`, and the device streams on to the others.
  @Test func anOutputChangeDoesNotRestartTheDevice() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    let result = try await session.configure(Bench.configuration { $0.photo = nil }, etag: "", validateOnly: false)
    #expect(!result.reconfigured)
    #expect(source.isLive)
    #expect(try await #require(bench.output("photo")).closings.wait(count: 1).map(\.reason) == [.outputRemoved])
    source.send(count: 1)
    #expect(bench.output("preview")?.frames.all.last?.configRevision == 2)
  }

  /// A commit with another camera closes the former one and starts the new one, and the former one is then free for
  /// other sessions.
  @Test("A16: one commit swaps the cameras of a running session") func swapsCamerasInOneCommit() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, old) = try await bench.running()
    let result = try await session.configure(
      Bench.configuration { $0.inputs[0].deviceID = "fake-1" }, etag: "", validateOnly: false)
    #expect(result.reconfigured)
    #expect(!old.isLive)
    #expect(bench.provider.sources.all.last?.deviceID == "fake-1")
    let other = try await bench.sessions.create(id: "other", idleTimeout: 0)
    _ = try await other.configure(Bench.configuration(), etag: "", validateOnly: false)
    #expect(try await other.start(requestedAt: 0).status.state == .running, "the old camera is free")
  }

  /// The event about the new stream has the nanoseconds between the captures of the two frames, from which a client
  /// knows how long a viewer saw no new picture.
  @Test("A16: watchers are told the gap between the former camera's last frame and the new one's first")
  func theGapOfASwapIsReported() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, old) = try await bench.running()
    for instant in [1_000_000_000, 1_033_000_000] as [MonotonicInstant] { old.send(at: instant) }
    _ = try await session.configure(
      Bench.configuration { $0.inputs[0].deviceID = "fake-1" }, etag: "", validateOnly: false)
    let new = try #require(bench.provider.sources.all.last)
    for instant in [1_250_000_000, 1_283_000_000] as [MonotonicInstant] { new.send(at: instant) }
    await session.port.drain()
    #expect(
      try await events(of: session).filter(\.isStreamChange)
        == [.streamChanged(streamID: new.streamID, gapNanoseconds: 217_000_000, input: "camera")])
  }

  /// The first frame after a stop and a start reports no gap, because the client wanted the pause.
  @Test("A16: no gap is reported after a stop and a start") func aRestartReportsNoGap() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    source.send(at: 1_000_000_000)
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 1)
    try #require(bench.provider.sources.all.last).send(at: 2_000_000_000)
    await session.port.drain()
    #expect(try await events(of: session).filter(\.isStreamChange) == [])
  }

  /// When the new camera cannot start, the session runs on with the former camera, configuration and etag.
  @Test("A9: a commit whose new camera fails leaves the session as it was") func aRefusedCommitLeavesEverythingAsItWas()
    async throws
  {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, _) = try await bench.running()
    let before = await session.snapshot()
    bench.provider.failStarts(CaptureError(.bandwidthExceeded, "The bus is full."), of: "fake-1")
    let swap = Bench.configuration { $0.inputs[0].deviceID = "fake-1" }
    #expect(await reason { _ = try await session.configure(swap, etag: "", validateOnly: false) } == .bandwidthExceeded)
    let after = await session.snapshot()
    #expect(after.etag == before.etag)
    #expect(after.configuration == before.configuration)
    #expect(after.status.state == .running)
    #expect(bench.provider.sources.all.last?.deviceID == "fake-0")
  }

  /// When a device is unplugged, watchers are told of the interruption. When it is plugged in again, a new stream
  /// begins without a call of a client.
  @Test func aLostDeviceInterruptsAndResumesByItself() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    bench.provider.disconnect("fake-0")
    source.lose()
    let interrupted = try await event(of: session) {
      if case .wasInterrupted(.deviceDisconnected, _, _) = $0 { true } else { false }
    }
    bench.provider.connect(.fake())
    let ended = try await event(of: session, after: interrupted.id) {
      if case .interruptionEnded = $0 { true } else { false }
    }
    guard case .interruptionEnded(let streamID, _) = ended.payload else { return }
    #expect(streamID > source.streamID)
    _ = try await event(of: session, after: ended.id) { $0 == .stateChanged(SessionStatus(.running)) }
    #expect(bench.provider.sources.count == 2)
  }

  /// Starting an interrupted session fails with the reason of the interruption. Stopping it makes it stopped, so that
  /// it does not resume by itself.
  @Test func stoppingAnInterruptedSessionEndsItsRetries() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    bench.provider.disconnect("fake-0")
    source.lose()
    _ = try await event(of: session) {
      $0 == .stateChanged(SessionStatus(.interrupted, interruption: .deviceDisconnected))
    }
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .deviceDisconnected)
    #expect(try await session.stop(etag: "").status.state == .stopped)
  }

  /// A start whose caller has gone runs to its end, so that a stop after it finds a running session and closes the
  /// device.
  @Test func aCancelledStartLeavesADefiniteState() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    bench.provider.starting.close()
    let call = Task { try await session.start(requestedAt: 0) }
    _ = try await bench.provider.starting.arrivals.wait(count: 1)
    call.cancel()
    bench.provider.starting.open()
    _ = try? await call.value
    // The start runs to its end. The stop, which is queued behind it, then ends a running session.
    #expect(try await session.stop(etag: "").status.state == .stopped)
    #expect(bench.provider.sources.all.map(\.isLive) == [false])
  }

  /// A commit without inputs is refused while the session is interrupted, because the session could never resume. A
  /// commit with another camera is accepted, and the session resumes with that camera.
  @Test func anInterruptedSessionNeedsACameraAndAnOutput() async throws {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, _) = try await bench.running()
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) { $0 == .stateChanged(.init(.interrupted, interruption: .deviceDisconnected)) }
    let nothing = Bench.configuration { $0.inputs = [] }
    #expect(
      await reason { _ = try await session.configure(nothing, etag: "", validateOnly: false) }
        == .notSupportedInConfiguration)
    let issues = try await session.configure(nothing, etag: "", validateOnly: true).issues
    #expect(issues.map(\.reason) == [.notSupportedInConfiguration])
    let other = Bench.configuration { $0.inputs = [.init(deviceID: "fake-1")] }
    _ = try await session.configure(other, etag: "", validateOnly: false)
    _ = try await event(of: session) { if case .interruptionEnded = $0 { true } else { false } }
    #expect(bench.provider.sources.all.last?.deviceID == "fake-1")
  }

  /// A client that reads the session during a commit sees the former configuration until the commit is complete.
  @Test func aCommitUnderWayIsNotVisible() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running()
    let before = await session.snapshot()
    bench.provider.starting.close()
    let slower = Bench.configuration { $0.inputs[0].frameRate = Rational(15, 1) }
    let commit = Task { try await session.configure(slower, etag: "", validateOnly: false) }
    _ = try await bench.provider.starting.arrivals.wait(count: 2)
    #expect(await session.snapshot().resolved == before.resolved)
    bench.provider.starting.open()
    #expect(try await commit.value.snapshot.resolved != before.resolved)
    #expect(await session.snapshot().resolved != before.resolved)
  }

  /// The launch timeline has only present outputs, so that commits do not make it grow without end.
  @Test func theTimelineDropsOutputsThatWereRemoved() async throws {
    let bench = Bench()
    let (session, _) = try await bench.running()
    for number in 1...3 {
      let renamed = Bench.configuration { $0.preview = .init(id: "preview-\(number)") }
      _ = try await session.configure(renamed, etag: "", validateOnly: false)
    }
    #expect(await session.launchTimeline().outputs.keys.contains("preview-3"))
    #expect(await session.launchTimeline().outputs.count <= 2)
  }

  /// Deleting a session closes its device, and ends the streams of its outputs, its events and all later calls with
  /// `sessionNotFound`.
  @Test func deletingEndsStreamsAndEvents() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    try await bench.sessions.delete("s", etag: "")
    #expect(!source.isLive)
    #expect(bench.output("preview")?.closings.all.map(\.reason) == [.sessionNotFound])
    #expect(await reason { _ = try await bench.sessions.session("s") } == .sessionNotFound)
    #expect(await reason { _ = try await session.start(requestedAt: 0) } == .sessionNotFound)
    #expect(await reason { _ = try await session.events.entry(after: session.events.lastID) } == .sessionNotFound)
  }

  /// Shutting down closes every device, and no session can be created afterwards.
  @Test func shutDownEndsEverySession() async throws {
    let bench = Bench()
    let (_, source) = try await bench.running()
    await bench.sessions.shutDown(CaptureError(.shuttingDown, "bye"))
    #expect(!source.isLive)
    #expect(await reason { _ = try await bench.sessions.create(id: "t", idleTimeout: 0) } == .shuttingDown)
  }

  /// A session that is not used for its idle timeout, here 1 ns, is deleted.
  @Test func anIdleSessionIsDeleted() async throws {
    let bench = Bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 1)
    // The log of events ends when the session is deleted.
    #expect(await reason { _ = try await session.events.entry(after: 0) } == .sessionNotFound)
  }

  /// An id must start with a lower-case letter and have at most 63 letters, digits and dashes; another id is refused
  /// with `invalidArgument`.
  @Test(arguments: ["A", "1a", "a_b", "a/b", String(repeating: "a", count: 64), "ä"])
  func malformedSessionIDsAreRefused(id: String) async {
    #expect(await reason { _ = try await Bench().sessions.create(id: id, idleTimeout: 0) } == .invalidArgument)
  }

  /// A commit that connects only the photo output ends the frames of the preview, gives the photo output its
  /// orientation, and restarts nothing. A commit that connects both lets the preview go on with the same output and
  /// readers.
  @Test("A7: a connection starts and stops the frames of its output alone")
  func aConnectionControlsTheFramesOfItsOutput() async throws {
    let bench = Bench()
    let (session, source) = try await bench.running()
    let (preview, photo) = (try #require(bench.output("preview")), try #require(bench.output("photo")))
    source.send(count: 2)
    let quiet = Bench.configuration { $0.connections = [.init(output: "photo", isMirrored: true, rotationAngle: 270)] }
    let result = try await session.configure(quiet, etag: "", validateOnly: false)
    #expect(!result.reconfigured)
    #expect(preview.connections.all.last == Connection(isEnabled: false))
    let turned = Orientation(rotation: .threeQuarters, isMirrored: true)
    #expect(photo.connections.all.last == Connection(orientation: turned))
    source.send(count: 3)
    #expect(preview.frames.count == 2 && photo.frames.count == 5)

    _ = try await session.configure(Bench.configuration(), etag: "", validateOnly: false)
    source.send(count: 1)
    #expect(preview.frames.count == 3 && photo.frames.count == 6)
    #expect(preview.frames.all.last?.configRevision == result.snapshot.revision + 1)
    #expect(preview.closings.count == 0 && source.stops.count == 0)
    #expect(bench.output("preview") === preview, "the commit keeps the output object")
  }

  /// When the new camera of a commit fails, the preview has its former connection again and gets the frames of the
  /// former camera.
  @Test("A7: a commit that fails leaves the connections as they were") func aFailedCommitKeepsTheConnections()
    async throws
  {
    let bench = Bench(devices: [.fake(), .fake(id: "fake-1")])
    let (session, _) = try await bench.running()
    bench.provider.failStarts(CaptureError(.deviceFailed, "on purpose"), of: "fake-1")
    let bad = Bench.configuration {
      $0.inputs[0].deviceID = "fake-1"
      $0.connections = [.init(output: "photo")]
    }
    #expect(
      await reason { _ = try await session.configure(bad, etag: "", validateOnly: false) } == .deviceFailed)
    let preview = try #require(bench.output("preview"))
    #expect(preview.connections.all.last == Connection())
    try #require(bench.provider.sources.all.last).send(count: 1)
    #expect(preview.frames.count == 1)
  }
}

extension SessionEvent {
  fileprivate var isStreamChange: Bool { if case .streamChanged = self { true } else { false } }
}
