import CaptureCore
import CaptureTestKit
import Synchronization
import SystemClocks
import Testing

@testable import CaptureSessions

@Suite(.timeLimit(.minutes(2))) struct SessionShotTests {
  private struct Unwanted: Error {}

  private static func control(_ name: String, _ id: UInt32, _ value: Int64, menu: Int64 = 0) -> Control {
    var control = Control(
      id: Control.id(ofName: name), displayName: name, v4l2ID: id, kind: menu > 0 ? .menu : .integer, maximum: 1000)
    control.menuItems = (0..<menu).map { Control.MenuItem(index: $0) }
    control.value = .integer(value)
    return control
  }

  /// Its clock stands still: no shot's patience ends because the test is scheduled late.
  private let bench = Bench(clock: ManualClock())

  private func values() async throws -> [Int64?] {
    try await bench.provider.controls(of: "fake-0").map { control in
      guard case .integer(let number)? = control.value else { return nil }
      return number
    }
  }

  private func running() async throws -> CaptureSession {
    bench.provider.setControls(
      [
        Self.control("Auto Exposure", 0x009a_0901, 0, menu: 2),
        Self.control("Exposure Time, Absolute", 0x009a_0902, 100), Self.control("Gain", 0x0098_0913, 7),
      ], of: "fake-0")
    return try await bench.running().0
  }

  private static func manual(_ nanoseconds: UInt64...) -> Shot {
    Shot(steps: nanoseconds.map { Shot.Step(exposure: .manual(ManualExposure(nanoseconds: $0))) })
  }

  @Test func itIsSetForEachStepAndThenBack() async throws {
    let session = try await running()
    let seen = Recorder<[Int64?]>()
    let after = try await session.shoot(Self.manual(1_000_000, 5_000_000)) { step, conditions in
      seen.append(try await values())
      #expect(conditions.readings.exposureNanoseconds == [1_000_000, 5_000_000][step])
      #expect(conditions.earliest <= .now())
    }
    #expect(seen.all == [[1, 10, 7], [1, 50, 7]])
    #expect(try await values() == [0, 100, 7])
    #expect(after > MonotonicInstant.now() - 1_000_000_000)
  }

  @Test func aStepInheritsNothing() async throws {
    let session = try await running()
    let seen = Recorder<[Int64?]>()
    let shot = Shot(steps: [
      Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 1_000_000, gain: 800))),
      Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 5_000_000))), Shot.Step(),
    ])
    _ = try await session.shoot(shot) { step, conditions in
      seen.append(try await values())
      #expect(conditions.settles == (step == 2))
    }
    #expect(seen.all == [[1, 10, 800], [1, 50, 7], [0, 100, 7]])
    #expect(try await values() == [0, 100, 7])
  }

  @Test func itIsSetBackWhenAStepFails() async throws {
    let session = try await running()
    await #expect(throws: Unwanted.self) {
      _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in throw Unwanted() }
    }
    #expect(try await values() == [0, 100, 7])
    // Beyond the range: the automatic was switched off before.
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(900_000_000_000)) { _, _ in }
    }
    #expect(error?.reason == .unsupportedValue)
    #expect(try await values() == [0, 100, 7])
  }

  @Test func whatIsNotWantedAnyMoreIsNotCarriedOut() async throws {
    let session = try await running()
    await #expect(throws: CancellationError.self) {
      _ = try await session.shoot(Self.manual(1_000_000), while: { false }) { _, _ in Issue.record("taken") }
    }
    // Out of range: had it been begun, it would have been refused.
    await #expect(throws: CancellationError.self) {
      _ = try await session.shoot(Self.manual(900_000_000_000), while: { false }) { _, _ in }
    }
  }

  @Test func aFailureTellsUntilWhenItsSettingsAct() async throws {
    let session = try await running()
    let failed = Atomic<UInt64>(0)
    let failure = await #expect(throws: ShotFailure.self) {
      _ = try await session.shoot(Self.manual(1_000_000), while: { true }) { _, _ in
        failed.store(MonotonicInstant.now().nanoseconds, ordering: .relaxed)
        throw Unwanted()
      }
    }
    #expect(failure?.cause is Unwanted)
    // At 30 frames per second, whatever the time it took.
    #expect(
      try #require(failure).end.nanoseconds >= failed.load(ordering: .relaxed) + FrameGate.delay * 33_000_000)
  }

  @Test func itIsSetBackWhenTheCallerGoes() async throws {
    let session = try await running()
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    let (going, go) = AsyncStream.makeStream(of: Void.self)
    let caller = Task {
      try await session.shoot(Self.manual(1_000_000)) { _, _ in
        waiter.finish()
        for await _ in going {}
      }
    }
    for await _ in waiting {}
    caller.cancel()
    go.finish()
    _ = await caller.result
    #expect(try await values() == [0, 100, 7])
  }

  @Test func aLostCameraEndsIt() async throws {
    let session = try await running()
    let provider = bench.provider
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in
        provider.disconnect("fake-0")
        for await _ in AsyncStream<Void>.makeStream().stream {}
        try Task.checkCancellation()
      }
    }
    #expect(error?.reason == .operationInterrupted)
    await session.port.drain()
    #expect(await session.snapshot().status.state == .interrupted)
  }

  @Test func aLostCameraEndsItBetweenSteps() async throws {
    let session = try await running()
    let provider = bench.provider
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(1_000_000, 2_000_000)) { step, _ in
        #expect(step == 0)
        provider.disconnect("fake-0")
        // Has what it needs when it is told.
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }
    }
    #expect(error?.reason == .operationInterrupted)
  }

  @Test func oneAfterTheCameraIsLostSaysSo() async throws {
    let session = try await running()
    bench.provider.disconnect("fake-0")
    while await session.snapshot().status.state == .running { await session.port.drain() }
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in Issue.record("taken") }
    }
    #expect(error?.reason == .operationInterrupted)
    #expect(error?.metadata == ["session": session.id, "interruption": "DEVICE_DISCONNECTED"])
  }

  @Test func stopWaitsForIt() async throws {
    let session = try await running()
    let order = Recorder<String>()
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    async let shot = session.shoot(Self.manual(1_000_000)) { _, _ in
      waiter.finish()
      // Every chance for the stop to be first.
      for _ in 0..<100 { await Task.yield() }
      order.append("shot")
    }
    for await _ in waiting {}
    _ = try await session.stop(etag: "")
    order.append("stop")
    _ = try await shot
    #expect(order.all == ["shot", "stop"])
    // As one whose turn comes after a stop.
    #expect(
      await reason { _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in } } == .operationInterrupted)
  }

  /// A shot of two steps whose first brings no frame, when it has begun.
  private func stuck(_ session: CaptureSession) async -> Task<CaptureError.Reason?, Never> {
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    let shot = Task {
      await reason {
        _ = try await session.shoot(Self.manual(1_000_000, 2_000_000)) { step, _ in
          #expect(step == 0)
          waiter.finish()
          for await _ in AsyncStream<Void>.makeStream().stream {}
          try Task.checkCancellation()
        }
      }
    }
    for await _ in waiting {}
    return shot
  }

  @Test("A stop does not wait for frames", arguments: [false, true])
  func aStopGivesItUp(forGood: Bool) async throws {
    let session = try await running()
    let shot = await stuck(session)
    if forGood {
      try await bench.sessions.delete("s", etag: "")
    } else {
      #expect(try await session.stop(etag: "").status.state == .stopped)
    }
    #expect(await shot.value == .operationInterrupted)
    #expect(try await values() == [0, 100, 7])
  }

  @Test func aRestGivesItUp() async throws {
    let session = try await running()
    let shot = await stuck(session)
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.critical)))
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.shutdown)))
    #expect(await shot.value == .operationInterrupted)
    try await session.serially { _ in }
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .systemPressure))
    #expect(try await values() == [0, 100, 7])
  }

  @Test("A12: a sleep does not wait for its frames, and is its reason") func aSleepGivesItUp() async throws {
    let session = try await running()
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    let shot = Task {
      await #expect(throws: CaptureError.self) {
        _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in
          waiter.finish()
          for await _ in AsyncStream<Void>.makeStream().stream {}
          try Task.checkCancellation()
        }
      }
    }
    for await _ in waiting {}
    await bench.sessions.setSystemAsleep(true)
    let error = await shot.value
    #expect(error?.reason == .operationInterrupted)
    #expect(error?.metadata == ["session": session.id, "interruption": "SYSTEM_SUSPEND"])
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .systemSuspend))
    #expect(try await values() == [0, 100, 7])
  }

  @Test func anOutdatedStopDoesNotGiveItUp() async throws {
    let session = try await running()
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    let (going, go) = AsyncStream.makeStream(of: Void.self)
    let shot = Task {
      try await session.shoot(Self.manual(1_000_000)) { _, _ in
        waiter.finish()
        for await _ in going {}
        try Task.checkCancellation()
      }
    }
    for await _ in waiting {}
    async let refusal = reason { _ = try await session.stop(etag: "outdated") }
    for _ in 0..<100 { await Task.yield() }
    go.finish()
    _ = try await shot.value
    #expect(await refusal == .etagMismatch)
  }

  @Test func itDoesNotBeginBeforeAStop() async throws {
    let session = try await running()
    // As when both wait for something else.
    try await session.serially { $0.shots.endsAhead += 1 }
    #expect(
      await reason { _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in Issue.record("taken") } }
        == .operationInterrupted)
    #expect(try await values() == [0, 100, 7])
    try await session.serially { $0.shots.endsAhead -= 1 }
    _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in }
  }

  @Test func nobodyElseSetsWhatItTakes() async throws {
    let session = try await running()
    bench.provider.setControls(
      try await bench.provider.controls(of: "fake-0") + [Self.control("Brightness", 0x0098_0900, 3)], of: "fake-0")
    let devices = bench.devices
    let wanted = [("brightness", 4), ("gain", 500), ("auto_exposure", 1), ("nothing", 0)].map {
      ControlSetting(control: $0.0, value: .integer(Int64($0.1)))
    }
    _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in
      let results = try await devices.set(wanted, on: "fake-0")
      #expect(results.map(\.control) == wanted.map(\.control))
      let refusals = results.map { result in
        if case .failure(let error) = result.outcome { error.reason } else { CaptureError.Reason?.none }
      }
      #expect(refusals == [nil, .controlGrabbed, .controlGrabbed, .controlNotFound])
    }
    #expect(try await values() == [0, 100, 7, 4])
    for result in try await devices.set(Array(wanted.prefix(3)), on: "fake-0") { _ = try result.outcome.get() }
    #expect(try await values() == [1, 100, 500, 4])
  }

  @Test func theConfigurationTellsWhatCanBeAskedFor() async throws {
    let session = try await running()
    let photo = await session.snapshot().resolved.outputs.lazy.compactMap(\.photo).first?.features
    #expect(photo?.shots.exposures == 100_000...100_000_000)
    #expect(photo?.shots.gains == 0...1000)
    #expect(photo?.shots.hasFlash == false)
  }
}

extension CaptureSession {
  /// Of what is wanted to its end; throws the cause of a failure.
  fileprivate func shoot(_ shot: Shot, _ take: @escaping TakeStep) async throws -> MonotonicInstant {
    do { return try await shoot(shot, while: { true }, take) } catch let failure as ShotFailure { throw failure.cause }
  }
}
