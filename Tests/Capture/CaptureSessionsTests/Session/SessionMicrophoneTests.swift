import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests what a client sees of a session's microphones, and that they never disturb the pictures.
@Suite(.timeLimit(.minutes(1))) struct SessionMicrophoneTests {
  private let clock = ManualClock()

  private static func withSound(_ configuration: inout SessionConfiguration) {
    configuration.inputs.append(.init(deviceID: "fake-microphone"))
    configuration.movie = .init()
  }

  /// Waits for an event that tells this state of a microphone.
  private func status(
    _ state: SessionState, of session: CaptureSession, after id: UInt64 = 0
  ) async throws -> (status: InputStatus, id: UInt64) {
    var found: InputStatus?
    let entry = try await event(of: session, after: id) { event in
      guard case .inputChanged(let status) = event, status.status.state == state else { return false }
      found = status
      return true
    }
    return (try #require(found), entry.id)
  }

  /// Lets the clock go on until the microphone was tried again. It has to go on several times, because the run may not
  /// have begun to wait yet.
  private func retry(until isDone: @autoclosure () -> Bool) async {
    while !isDone() {
      clock.advance(by: MicrophoneRun.retryDelay)
      await Task.yield()
    }
  }

  /// Nothing may delay the first picture, so the microphone waits for it. Then its sound reaches the outputs that
  /// take it.
  @Test("A14: a microphone begins with the first frame") func aMicrophoneBeginsWithTheFirstFrame() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running(Self.withSound)
    await session.port.drain()
    #expect(bench.microphones.sources.count == 0)
    #expect(await session.snapshot().inputStatus.map(\.status.state) == [.running, .stopped])
    source.send()
    let microphone = try await bench.microphones.sources.wait(count: 1)[0]
    #expect(microphone.format == AudioFormat(sampleRate: 48_000, channelCount: 2))
    let running = try await status(.running, of: session).status
    #expect(running.input == "microphone" && running.deviceID == "fake-microphone")
    microphone.send(at: 5)
    let movie = try #require(bench.output("movie"))
    #expect(movie.sounds.all.map(\.input) == ["microphone"])
    #expect(movie.audio.all.last == [AudioConnection(input: "microphone", format: microphone.format)])
    #expect(bench.output("preview")?.sounds.count == 1)
    #expect(bench.output("photo")?.sounds.count == 0)
  }

  /// A stop closes the microphone before the call returns, and another session can have it.
  @Test func aStopClosesTheMicrophone() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running(Self.withSound)
    source.send()
    let microphone = try await bench.microphones.sources.wait(count: 1)[0]
    _ = try await status(.running, of: session)
    let stopped = try await session.stop(etag: "")
    #expect(microphone.stops.count == 1)
    #expect(stopped.inputStatus.map(\.status.state) == [.stopped, .stopped])
  }

  /// A microphone that is unplugged interrupts itself alone, and comes back by itself.
  @Test("A14: an unplugged microphone does not disturb the pictures")
  func anUnpluggedMicrophoneInterruptsItselfAlone() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running(Self.withSound)
    source.send()
    let microphone = try await bench.microphones.sources.wait(count: 1)[0]
    let running = try await status(.running, of: session)
    microphone.lose()
    let lost = try await status(.interrupted, of: session, after: running.id)
    #expect(lost.status.status.interruption == .deviceDisconnected)
    #expect(lost.status.error?.reason == .deviceDisconnected)
    let snapshot = await session.snapshot()
    #expect(snapshot.status.state == .running && source.isLive)
    #expect(snapshot.inputStatus.map(\.status.state) == [.running, .interrupted])
    await retry(until: bench.microphones.sources.count == 2)
    _ = try await status(.running, of: session, after: lost.id)
  }

  /// Attempts that fail for the same reason are reported once.
  @Test func aMicrophoneThatIsInUseIsTriedAgain() async throws {
    let bench = Bench(clock: clock)
    bench.microphones.failStarts(CaptureError(.deviceInUse, "Another program has it."))
    let (session, source) = try await bench.running(Self.withSound)
    source.send()
    let refused = try await status(.interrupted, of: session)
    #expect(refused.status.status.interruption == .deviceInUse)
    await retry(until: bench.microphones.refusals.count >= 3)
    bench.microphones.failStarts(nil)
    await retry(until: bench.microphones.sources.count == 1)
    _ = try await status(.running, of: session, after: refused.id)
    let told = try await events(of: session, after: refused.id)
    #expect(told.filter { if case .inputChanged = $0 { true } else { false } }.count == 1)
  }

  /// Lost sound is an event of its own.
  @Test func lostSoundIsReported() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running(Self.withSound)
    source.send()
    let microphone = try await bench.microphones.sources.wait(count: 1)[0]
    let loss = AudioLoss(.overrun, time: 7, nanoseconds: 20_000_000)
    microphone.overrun(loss)
    _ = try await event(of: session) { $0 == .audioLost(input: "microphone", loss) }
  }

  /// A commit that takes the microphone away closes it, and one in another form opens it again. The camera goes on.
  @Test func aCommitChangesTheMicrophoneAlone() async throws {
    let bench = Bench(clock: clock)
    let (session, source) = try await bench.running(Self.withSound)
    source.send()
    let first = try await bench.microphones.sources.wait(count: 1)[0]
    _ = try await status(.running, of: session)
    let mono = Bench.configuration {
      Self.withSound(&$0)
      $0.inputs[1].audioFormat = .init(channelCount: 1)
    }
    #expect(try await session.configure(mono, etag: "", validateOnly: false).reconfigured == false)
    let second = try await bench.microphones.sources.wait(count: 2)[1]
    #expect(first.stops.count == 1 && second.format == AudioFormat(sampleRate: 48_000, channelCount: 1))
    let silent = Bench.configuration {
      Self.withSound(&$0)
      $0.connections = [.init(output: "preview"), .init(output: "movie")]
    }
    _ = try await session.configure(silent, etag: "", validateOnly: false)
    _ = try await second.stops.wait(count: 1)
    #expect(bench.output("movie")?.audio.all.last == [])
    #expect(source.isLive && bench.provider.sources.count == 1)
  }

  /// A microphone that the operator declared and that is not there keeps nothing waiting, and runs when it comes.
  @Test func aDeclaredMicrophoneMayComeLater() async throws {
    let bench = Bench(microphones: FakeMicrophones([]), clock: clock)
    bench.microphones.failStarts(CaptureError(.deviceNotFound, "It is not there."))
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    let declared = DeclaredStart(session, Bench.configuration(Self.withSound))
    #expect(try await declared.obstacles().isEmpty)
    try await declared.run()
    #expect(await session.snapshot().status.state == .running)
    try #require(bench.provider.sources.all.last).send()
    let away = try await status(.interrupted, of: session)
    #expect(away.status.status.interruption == .deviceDisconnected)
    bench.microphones.failStarts(nil)
    await retry(until: bench.microphones.sources.count == 1)
    _ = try await status(.running, of: session, after: away.id)
  }

  /// The form of a declared microphone that is not there stays open. When the microphone comes, the session captures it
  /// as it is, and says so together with the event. A client that sends the configuration back changes nothing.
  @Test func aMicrophoneThatComesLaterDecidesItsForm() async throws {
    let bench = Bench(microphones: FakeMicrophones([]), clock: clock)
    bench.microphones.failStarts(CaptureError(.deviceNotFound, "It is not there."))
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, Bench.configuration(Self.withSound)).run()
    try #require(bench.provider.sources.all.last).send()
    let away = try await status(.interrupted, of: session)
    let before = await session.snapshot()
    #expect(before.resolved.microphones.map(\.format) == [.init(sampleRate: 48_000, channelCount: 2)])
    let mono = AudioFormat(sampleRate: 16_000, channelCount: 1)
    bench.microphones.setMicrophones([.fake(sampleRates: [16_000], channelCounts: [1])])
    bench.microphones.failStarts(nil)
    await retry(until: bench.microphones.sources.count == 1)
    let microphone = bench.microphones.sources.all[0]
    #expect(microphone.format == mono)
    _ = try await status(.running, of: session, after: away.id)
    let after = await session.snapshot()
    #expect(after.resolved.microphones.map(\.format) == [mono])
    #expect(after.etag == before.etag)
    #expect(bench.output("movie")?.audio.all.last == [AudioConnection(input: "microphone", format: mono)])
    let same = Bench.configuration {
      Self.withSound(&$0)
      $0.inputs[1].audioFormat = .init(sampleRate: 16_000, channelCount: 1)
    }
    _ = try await session.configure(same, etag: "", validateOnly: false)
    #expect(microphone.stops.count == 0 && bench.microphones.sources.count == 1)
  }

  /// A movie output that cannot code the form of the microphone keeps the one that it expects, and converts the sound.
  @Test func aFormThatCannotBeCodedIsNotTakenOver() async throws {
    let bench = Bench(microphones: FakeMicrophones([]), clock: clock)
    bench.microphones.failStarts(CaptureError(.deviceNotFound, "It is not there."))
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    let asked = Bench.configuration {
      Self.withSound(&$0)
      $0.movie?.audioCodec = .opus
    }
    try await DeclaredStart(session, asked).run()
    try #require(bench.provider.sources.all.last).send()
    let away = try await status(.interrupted, of: session)
    bench.microphones.setMicrophones([.fake(sampleRates: [44_100])])
    bench.microphones.failStarts(nil)
    await retry(until: bench.microphones.sources.count == 1)
    let microphone = bench.microphones.sources.all[0]
    #expect(microphone.format == AudioFormat(sampleRate: 44_100, channelCount: 2))
    _ = try await status(.running, of: session, after: away.id)
    let resolved = await session.snapshot().resolved
    #expect(resolved.microphones.map(\.format) == [.init(sampleRate: 48_000, channelCount: 2)])
    microphone.send(at: 5)
    #expect(bench.output("movie")?.sounds.count == 1 && microphone.stops.count == 0)
  }

  /// A declared microphone that the daemon may not open, or that lacks the declared form, does not keep the camera from
  /// running. The input tells what is wrong.
  @Test(arguments: [
    CaptureError(.deviceAccessDenied, "The daemon may not open it."), nil,
  ]) func aDeclaredMicrophoneThatCannotBeUsedKeepsNothingWaiting(refusal: CaptureError?) async throws {
    var microphone = Microphone.fake(sampleRates: [16_000])
    microphone.unavailable = refusal
    let bench = Bench(microphones: FakeMicrophones([microphone]), clock: clock)
    bench.microphones.failStarts(refusal ?? CaptureError(.formatNotSupported, "It does not have this form."))
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    let asked = Bench.configuration {
      Self.withSound(&$0)
      $0.inputs[1].audioFormat = .init(sampleRate: 48_000)
    }
    let declared = DeclaredStart(session, asked)
    #expect(try await declared.obstacles().isEmpty)
    try await declared.run()
    #expect(await session.snapshot().status.state == .running)
    try #require(bench.provider.sources.all.last).send()
    let told = try await status(.interrupted, of: session)
    #expect(told.status.error?.reason == refusal?.reason ?? .formatNotSupported)
  }

  /// A configuration with a microphone that is away now can be committed again, as one of a microphone that was never
  /// there cannot.
  @Test func aMicrophoneMayBeAway() async throws {
    let bench = Bench(clock: clock)
    let (session, _) = try await bench.running(Self.withSound)
    bench.microphones.setMicrophones([])
    let changed = Bench.configuration {
      Self.withSound(&$0)
      $0.preset = .low
    }
    #expect(try await session.configure(changed, etag: "", validateOnly: false).issuesAreEmpty)
    let unknown = Bench.configuration {
      Self.withSound(&$0)
      $0.inputs[1].deviceID = "nobody"
    }
    #expect(
      await reason { _ = try await session.configure(unknown, etag: "", validateOnly: false) } == .deviceNotFound)
  }
}

extension CommitResult {
  fileprivate var issuesAreEmpty: Bool { issues.isEmpty }
}
