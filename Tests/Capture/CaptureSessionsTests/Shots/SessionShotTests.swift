import CaptureCore
import CaptureTestKit
import Synchronization
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests how a session sets its camera for a shot, and sets the camera back however the shot ends. A camera that is not
/// set back would spoil the preview and later photos.
@Suite(.timeLimit(.minutes(2))) struct SessionShotTests {
  /// The error of a step that fails on purpose.
  private struct Unwanted: Error {}

  /// A control with the range 0 to 1000, or a menu of `menu` items.
  private static func control(_ name: String, _ id: UInt32, _ value: Int64, menu: Int64 = 0) -> Control {
    var control = Control(
      id: Control.id(ofName: name), displayName: name, v4l2ID: id, kind: menu > 0 ? .menu : .integer, maximum: 1000)
    control.menuItems = (0..<menu).map { Control.MenuItem(index: $0) }
    control.value = .integer(value)
    return control
  }

  /// The clock stands still, so that no shot gives up because the test is scheduled late.
  private let bench = Bench(clock: ManualClock())

  /// The present values of the camera's controls, in order; nil for a value that is no number.
  private func values() async throws -> [Int64?] {
    try await bench.provider.controls(of: "fake-0").map { control in
      guard case .integer(let number)? = control.value else { return nil }
      return number
    }
  }

  /// A running session whose camera has automatic exposure, exposure time and gain.
  private func running() async throws -> CaptureSession {
    bench.provider.setControls(
      [
        Self.control("Auto Exposure", 0x009a_0901, 0, menu: 2),
        Self.control("Exposure Time, Absolute", 0x009a_0902, 100), Self.control("Gain", 0x0098_0913, 7),
      ], of: "fake-0")
    return try await bench.running().0
  }

  /// A shot with one step of manual exposure for each time in nanoseconds.
  private static func manual(_ nanoseconds: UInt64...) -> Shot {
    Shot(steps: nanoseconds.map { Shot.Step(exposure: .manual(ManualExposure(nanoseconds: $0))) })
  }

  /// Each step runs with its own exposure set and is told this exposure and since when it applies. After the shot the
  /// camera has its former values, and the result is the instant from which on frames have them.
  @Test func theCameraIsSetForEachStepAndThenBack() async throws {
    let session = try await running()
    let seen = Recorder<[Int64?]>()
    let last = Atomic<UInt64>(0)
    let after = try await session.shoot(Self.manual(1_000_000, 5_000_000)) { step, conditions in
      seen.append(try await values())
      #expect(conditions.readings.exposureNanoseconds == [1_000_000, 5_000_000][step])
      #expect(conditions.earliest <= .now())
      last.store(MonotonicInstant.now().nanoseconds, ordering: .relaxed)
    }
    let end = MonotonicInstant.now().nanoseconds
    #expect(seen.all == [[1, 10, 7], [1, 50, 7]])
    #expect(try await values() == [0, 100, 7])
    // Settings take effect after `FrameGate.delay` frames, counted from an instant between the last step and the end of
    // the shot. One more frame has to pass, because a time stamp may mark the end of a frame. A frame takes 33 to 34 ms
    // at 30 frames per second.
    #expect(after.nanoseconds >= last.load(ordering: .relaxed) + (FrameGate.delay + 1) * 33_000_000)
    #expect(after.nanoseconds <= end + (FrameGate.delay + 1) * 34_000_000)
  }

  /// A step that leaves out a setting of an earlier step runs with the camera's former value. A step without settings
  /// runs with automatic exposure, which has to settle.
  @Test func aStepInheritsNoSettingsFromEarlierSteps() async throws {
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

  /// When a step throws, or the camera refuses a value, the controls that were set before have their former values
  /// afterwards.
  @Test func theCameraIsSetBackWhenAStepFails() async throws {
    let session = try await running()
    await #expect(throws: Unwanted.self) {
      _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in throw Unwanted() }
    }
    #expect(try await values() == [0, 100, 7])
    // This exposure time is beyond the range. Automatic exposure is switched off before the camera refuses the time.
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(900_000_000_000)) { _, _ in }
    }
    #expect(error?.reason == .unsupportedValue)
    #expect(try await values() == [0, 100, 7])
  }

  /// A shot whose client has gone when its turn comes throws `CancellationError` and does not touch the camera.
  @Test func aShotThatIsNoLongerWantedIsNotCarriedOut() async throws {
    let session = try await running()
    await #expect(throws: CancellationError.self) {
      _ = try await session.shoot(Self.manual(1_000_000), while: { false }) { _, _ in
        Issue.record("a step of the shot ran")
      }
    }
    // The camera would refuse this exposure time, so the error shows that the shot did not begin.
    await #expect(throws: CancellationError.self) {
      _ = try await session.shoot(Self.manual(900_000_000_000), while: { false }) { _, _ in }
    }
  }

  /// The error of a failed shot has the cause and the instant from which on frames have the former settings again, so
  /// that the next capture takes no frame with the settings of this shot.
  @Test func aFailureTellsUntilWhenItsSettingsApply() async throws {
    let session = try await running()
    let failed = Atomic<UInt64>(0)
    let failure = await #expect(throws: ShotFailure.self) {
      _ = try await session.shoot(Self.manual(1_000_000), while: { true }) { _, _ in
        failed.store(MonotonicInstant.now().nanoseconds, ordering: .relaxed)
        throw Unwanted()
      }
    }
    #expect(failure?.cause is Unwanted)
    // As for a shot that succeeds, regardless of how long the shot took.
    let end = try #require(failure).end.nanoseconds
    #expect(end >= failed.load(ordering: .relaxed) + (FrameGate.delay + 1) * 33_000_000)
  }

  /// When the task that asked for the shot is cancelled during a step, the camera is set back before the task ends.
  @Test func theCameraIsSetBackWhenTheCallerIsCancelled() async throws {
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

  /// When the camera is unplugged during a step, the shot ends with `operationInterrupted` instead of waiting for
  /// frames that cannot come, and the session is interrupted.
  @Test func aLostCameraEndsTheShot() async throws {
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

  /// When a step has its frames although the camera was unplugged meanwhile, the next step does not begin.
  @Test func aLostCameraEndsTheShotBetweenSteps() async throws {
    let session = try await running()
    let provider = bench.provider
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(1_000_000, 2_000_000)) { step, _ in
        #expect(step == 0)
        provider.disconnect("fake-0")
        // The step ends without an error when it is cancelled, as a step does that has its frames already.
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }
    }
    #expect(error?.reason == .operationInterrupted)
  }

  /// A shot whose turn comes when the session is interrupted fails with `operationInterrupted` and the reason of the
  /// interruption, without running a step.
  @Test func aShotAfterTheCameraIsLostFailsWithTheInterruption() async throws {
    let session = try await running()
    bench.provider.disconnect("fake-0")
    while await session.snapshot().status.state == .running { await session.port.drain() }
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in Issue.record("a step of the shot ran") }
    }
    #expect(error?.reason == .operationInterrupted)
    #expect(error?.metadata == ["session": session.id, "interruption": "DEVICE_DISCONNECTED"])
  }

  /// A stop that comes during a shot is carried out after the shot, if the step ends without an error. A shot that
  /// comes after a stop fails with `operationInterrupted`.
  @Test func aStopWaitsForAShotThatHasItsFrames() async throws {
    let session = try await running()
    let order = Recorder<String>()
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    async let shot = session.shoot(Self.manual(1_000_000)) { _, _ in
      waiter.finish()
      // These yields give the stop every chance to come first.
      for _ in 0..<100 { await Task.yield() }
      order.append("shot")
    }
    for await _ in waiting {}
    _ = try await session.stop(etag: "")
    order.append("stop")
    _ = try await shot
    #expect(order.all == ["shot", "stop"])
    // A shot whose turn comes after a stop fails in the same way.
    #expect(
      await reason { _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in } } == .operationInterrupted)
  }

  /// Begins a shot of two steps whose first step gets no frame. Returns when the step has begun; the task's value is
  /// the reason of the shot's error.
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

  /// A client that stops or deletes the session need not wait until a shot without frames gives up. The shot ends with
  /// `operationInterrupted` and the camera is set back.
  ///
  /// - Parameter forGood: whether the session is deleted instead of stopped.
  @Test("A stop or a deletion gives up a shot that waits for frames", arguments: [false, true])
  func aStopGivesUpAShotThatWaitsForFrames(forGood: Bool) async throws {
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

  /// Shutdown pressure gives up a shot that waits for frames, so that the session can rest at once. The camera is set
  /// back.
  @Test func aRestGivesUpAShotThatWaitsForFrames() async throws {
    let session = try await running()
    let shot = await stuck(session)
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.critical)))
    await bench.sessions.setPressure(PressureDemands(machine: .fake(.shutdown)))
    #expect(await shot.value == .operationInterrupted)
    try await session.serially { _ in }
    #expect(await session.snapshot().status == SessionStatus(.interrupted, interruption: .systemPressure))
    #expect(try await values() == [0, 100, 7])
  }

  /// Before the machine sleeps, a shot that waits for frames ends with `operationInterrupted`, whose metadata names the
  /// sleep. The camera is set back and the session is interrupted.
  @Test("A12: a sleep of the machine gives up a shot that waits for frames and is the reason of its error")
  func aSleepGivesUpAShotThatWaitsForFrames() async throws {
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

  /// A stop with an etag of an earlier configuration will be refused, so it does not end a shot.
  @Test func aStopWithAnOutdatedEtagDoesNotGiveUpAShot() async throws {
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

  /// A shot whose turn comes while a call that ends the stream is waiting fails at once and does not touch the camera.
  @Test func aShotDoesNotBeginWhileAStopWaits() async throws {
    let session = try await running()
    // The count says that a call that ends the stream waits, as when the stop and the shot both wait for another
    // operation.
    try await session.serially { $0.shots.endsAhead += 1 }
    #expect(
      await reason {
        _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in Issue.record("a step of the shot ran") }
      }
        == .operationInterrupted)
    #expect(try await values() == [0, 100, 7])
    try await session.serially { $0.shots.endsAhead -= 1 }
    _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in }
  }

  /// During a shot, a client's setting of a control that the shot has taken fails with `controlGrabbed`, and other
  /// controls can be set. After the shot, all controls can be set again.
  @Test func clientsCannotSetTheControlsThatAShotHasTaken() async throws {
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

  /// The resolved configuration has the exposure times in nanoseconds, the gains and the flash that captures can ask
  /// for, as the camera's controls allow.
  @Test func theConfigurationTellsTheCapabilitiesForShots() async throws {
    let session = try await running()
    let photo = await session.snapshot().resolved.outputs.lazy.compactMap(\.photo).first?.features
    #expect(photo?.shots.exposures == 100_000...100_000_000)
    #expect(photo?.shots.gains == 0...1000)
    #expect(photo?.shots.hasFlash == false)
  }
}

extension CaptureSession {
  /// Carries out a shot that stays wanted until its end.
  ///
  /// - Throws: the cause of a failure instead of ``ShotFailure``.
  fileprivate func shoot(_ shot: Shot, _ take: @escaping TakeStep) async throws -> MonotonicInstant {
    do { return try await shoot(shot, while: { true }, take) } catch let failure as ShotFailure { throw failure.cause }
  }
}
