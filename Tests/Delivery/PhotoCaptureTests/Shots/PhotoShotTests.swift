import CaptureCore
import CaptureTestKit
import Synchronization
import SystemClocks
import Testing

@testable import PhotoCapture

/// The limit only ends a broken test.
@Suite(.timeLimit(.minutes(2))) struct PhotoShotTests {
  @Test("J3: a manual exposure is not from the ring") func manualExposureIsLive() async throws {
    let stage = try await PhotoStage.forShots()
    stage.capture(1)
    stage.context.onShot { step in
      #expect(step == Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 500_000))))
      return ShotConditions(
        earliest: .epoch + 3 * PhotoStage.period, readings: SensorReadings(exposureNanoseconds: 500_000))
    }
    var named = PhotoStage.shot(change: PhotoStage.byHand)
    named.moment = .sequence(1, streamID: 1)
    let capture = try stage.output.capture(named)
    #expect(stage.output.readiness == .notReadyWaitingForCapture)
    await stage.captureUntilOver()
    let photo = try await capture.photo()
    #expect(!photo.selection.zeroShutterLagUsed)
    #expect(photo.frame.sequence >= 5, "two frames after the third")
    #expect(photo.phases.captureBegin == .epoch + PhotoStage.period, "when its turn came")
    #expect(photo.sensor.exposureNanoseconds == 500_000)
    #expect(photo.sensor.isFlashOn == false)
    #expect(stage.output.readiness == .ready)
  }

  @Test func mergedFramesFollow() async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(PhotoStage.shot(quality: .balanced, change: PhotoStage.byHand))
    await stage.captureUntilOver()
    #expect(try await capture.photo().fusedFrameCount == 3)
    let made = stage.processor.made.all[0]
    #expect(made.reference == made.frames[0])
  }

  @Test func noMoreFramesAreMergedThanPressureAllows() async throws {
    let stage = try await PhotoStage.forShots()
    stage.change { $0.limits = PictureLimits(fusedFrames: 2) }
    let capture = try stage.output.capture(PhotoStage.shot(quality: .quality, change: PhotoStage.byHand))
    await stage.captureUntilOver()
    #expect(try await capture.photo().fusedFrameCount == 2)
  }

  @Test func aPhotoIsNotLostForWhatItWouldBeMergedWith() async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(PhotoStage.shot(quality: .quality, change: PhotoStage.byHand))
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    // Two are from before the settings act.
    for sequence in UInt64(2)...5 { stage.capture(sequence) }
    stage.context.endShotFrames()
    #expect(try await capture.photo().fusedFrameCount == 2)
  }

  /// The session's turn is over before the output knows of it.
  @Test(arguments: [SessionState.stopping, .stopped, .interrupted])
  func aStopDoesNotLoseAShotThatHasItsFrames(_ state: SessionState) async throws {
    let stage = try await PhotoStage.forShots()
    let (taken, hasFrames) = AsyncStream.makeStream(of: Void.self)
    let (ending, end) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotFrames {
      hasFrames.finish()
      for await _ in ending {}
    }
    let capture = try stage.output.capture(PhotoStage.shot(change: PhotoStage.byHand))
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    for sequence in UInt64(2)...5 { stage.capture(sequence) }
    for await _ in taken {}
    stage.sessionBecomes(state)
    end.finish()
    #expect(try await capture.photo().frame.sequence > 2)
  }

  @Test func aStopEndsAShotWithoutFrames() async throws {
    let stage = try await PhotoStage.forShots()
    let (turn, begin) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotTurn { for await _ in turn {} }
    // As a session that does not run any more.
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.operationInterrupted, "on purpose") }
    let capture = try stage.output.capture(PhotoStage.shot(change: PhotoStage.byHand))
    stage.sessionBecomes(.stopped)
    begin.finish()
    let reason = "operationInterrupted"
    #expect(await capture.all().map(\.name) == ["willBegin", "no photo: \(reason)", "end: \(reason)"])
    let isIdle = stage.output.state.withLock(\.queue.isIdle)
    #expect(isIdle)
  }

  @Test func aDisabledConnectionEndsAShot() async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(PhotoStage.shot(change: PhotoStage.byHand))
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    stage.change { $0.connection = Connection(isEnabled: false) }
    #expect(await capture.all().last?.name == "end: operationInterrupted")
  }

  @Test func whatWasGivenUpBeforeItsTurnIsNotCarriedOut() async throws {
    let stage = try await PhotoStage.forShots()
    stage.capture(1)
    let (turn, begin) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotTurn { for await _ in turn {} }
    let capture = try stage.output.capture(PhotoStage.shot { $0.exposure.flashMode = .on })
    stage.change { $0.isReconfiguring = true }
    #expect(
      await capture.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    begin.finish()
    while stage.output.state.withLock({ $0.shotShadow.end == .distantFuture }) { await Task.yield() }
    #expect(stage.context.shots.count == 0)
  }

  @Test func othersWaitForTheirTurn() async throws {
    let stage = try await PhotoStage.forShots(responsive: true)
    stage.capture(1)
    let shot = try stage.output.capture(PhotoStage.shot("shot", change: PhotoStage.byHand))
    let next = try stage.output.capture(PhotoStage.request("next", arrival: 1))
    #expect(stage.output.readiness == .notReadyWaitingForCapture)
    await stage.captureUntilOver()
    _ = try await shot.photo()
    stage.capture(900)
    _ = try await next.photo()
    var told: [String] = []
    for id in UInt64(0)..<10 {
      let event = try await stage.output.events.entry(after: id).payload
      if ["willBegin", "photo"].contains(event.kind.name) { told.append(event.uniqueID) }
    }
    #expect(told == ["shot", "shot", "next", "next"])
  }

  @Test("F2") func aTrackedCaptureOfALargerSizeWaitsForTheCamera() async throws {
    let (streamed, larger) = (Size(width: 64, height: 36), Size(width: 128, height: 72))
    var shots = PhotoStage.shotCapabilities
    shots.sizes = [streamed, larger]
    let stage = try await PhotoStage()
    var features = PhotoFeatures(shots: shots)
    features.maxSize = larger
    stage.change { $0.photoFeatures = features }
    #expect(
      try stage.output.startTracking(PhotoStage.shot("a") { $0.size = streamed }, watcher: nil)
        == .notReadyWaitingForProcessing
    )
    stage.output.stopTracking("a")
    #expect(
      try stage.output.startTracking(PhotoStage.shot("a") { $0.size = larger }, watcher: nil)
        == .notReadyWaitingForCapture)
  }

  @Test func whatTheCameraLacksIsRefused() async throws {
    let stage = try await PhotoStage.forShots(ShotCapabilities(biases: -1...1))
    func reason(_ change: (inout PhotoRequest) -> Void) -> CaptureError.Reason? {
      do throws(CaptureError) { _ = try stage.output.capture(PhotoStage.shot(change: change)) } catch {
        return error.reason
      }
      return nil
    }
    for mode in [FlashMode.on, .auto] { #expect(reason { $0.exposure.flashMode = mode } == .unsupportedValue) }
    #expect(reason(PhotoStage.byHand) == .notSupportedInConfiguration)
    #expect(reason { $0.exposure.manualExposure = ManualExposure(gain: 1) } == .notSupportedInConfiguration)
    #expect(reason { $0.exposure.bracket = [.bias(1.5)] } == .unsupportedValue)
    #expect(reason { $0.exposure.bracket = Array(repeating: .bias(0), count: 6) } == .invalidArgument)
    #expect(
      reason {
        $0.exposure.bracket = [.bias(0)]
        $0.exposure.flashMode = .auto
      } == .invalidArgument)
  }
}
