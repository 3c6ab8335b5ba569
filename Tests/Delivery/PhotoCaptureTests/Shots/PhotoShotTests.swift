import CaptureCore
import CaptureTestKit
import Synchronization
import SystemClocks
import Testing

@testable import PhotoCapture

/// Captures for which the session sets the camera. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct PhotoShotTests {
  @Test("J3: a photo with a manual exposure is not from the ring") func manualExposuresAreNotFromTheRing() async throws
  {
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
    #expect(photo.frame.sequence >= 5, "the photo shows the second frame after frame 3, from which on the settings act")
    #expect(photo.phases.captureBegin == .epoch + PhotoStage.period, "the capture begins when its turn comes")
    #expect(photo.sensor.exposureNanoseconds == 500_000)
    #expect(photo.sensor.isFlashOn == false)
    #expect(stage.output.readiness == .ready)
  }

  /// A shot merges its first frame with the frames after it, because the frames before it have another exposure.
  @Test func aShotMergesTheFramesAfterItsOwn() async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(PhotoStage.shot(quality: .balanced, change: PhotoStage.byHand))
    await stage.captureUntilOver()
    #expect(try await capture.photo().fusedFrameCount == 3)
    let made = stage.processor.made.all[0]
    #expect(made.reference == made.frames[0])
  }

  @Test func pressureLimitsTheMergedFrames() async throws {
    let stage = try await PhotoStage.forShots()
    stage.change { $0.limits = PictureLimits(fusedFrames: 2) }
    let capture = try stage.output.capture(PhotoStage.shot(quality: .quality, change: PhotoStage.byHand))
    await stage.captureUntilOver()
    #expect(try await capture.photo().fusedFrameCount == 2)
  }

  /// When no further frame comes, a shot is made of the frames that it has.
  @Test func aShotIsMadeOfTheFramesItHas() async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(PhotoStage.shot(quality: .quality, change: PhotoStage.byHand))
    while stage.output.queue.read({ !$0.shots.hasStep }) { await Task.yield() }
    // The settings do not act on two of these frames yet.
    for sequence in UInt64(2)...5 { stage.capture(sequence) }
    stage.context.endShotFrames()
    #expect(try await capture.photo().fusedFrameCount == 2)
  }

  /// A shot that has its frames is finished even when the session stops before the output knows that the shot is over.
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
    while stage.output.queue.read({ !$0.shots.hasStep }) { await Task.yield() }
    for sequence in UInt64(2)...5 { stage.capture(sequence) }
    for await _ in taken {}
    stage.sessionBecomes(state)
    end.finish()
    #expect(try await capture.photo().frame.sequence > 2)
  }

  /// A shot that has no frame yet fails when the session stops, and its place in the queue becomes free.
  @Test func aStopEndsAShotWithoutFrames() async throws {
    let stage = try await PhotoStage.forShots()
    let (turn, begin) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotTurn { for await _ in turn {} }
    // A session that no longer runs refuses the shot like this.
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.operationInterrupted, "on purpose") }
    let capture = try stage.output.capture(PhotoStage.shot(change: PhotoStage.byHand))
    stage.sessionBecomes(.stopped)
    begin.finish()
    let reason = "operationInterrupted"
    #expect(await capture.all().map(\.name) == ["willBegin", "no photo: \(reason)", "end: \(reason)"])
    let isIdle = stage.output.queue.read(\.places.isIdle)
    #expect(isIdle)
  }

  @Test func aDisabledConnectionEndsAShot() async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(PhotoStage.shot(change: PhotoStage.byHand))
    while stage.output.queue.read({ !$0.shots.hasStep }) { await Task.yield() }
    stage.change { $0.connection = Connection(isEnabled: false) }
    #expect(await capture.all().last?.name == "end: operationInterrupted")
  }

  /// The camera is not set for a capture that a new configuration has ended.
  @Test func aShotThatWasGivenUpIsNotCarriedOut() async throws {
    let stage = try await PhotoStage.forShots()
    stage.capture(1)
    let (turn, begin) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotTurn { for await _ in turn {} }
    let capture = try stage.output.capture(PhotoStage.shot { $0.exposure.flashMode = .on })
    stage.change { $0.isReconfiguring = true }
    #expect(
      await capture.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    begin.finish()
    while stage.output.queue.read({ $0.shots.shadow.end == .distantFuture }) { await Task.yield() }
    #expect(stage.context.shots.count == 0)
  }

  /// While the camera is set for a shot, the next capture waits, even with responsive capture.
  @Test func otherCapturesWaitForAShot() async throws {
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

  @Test("F2: readiness counts a tracked capture in a larger size as one that waits for the camera")
  func aTrackedCaptureInALargerSizeWaitsForTheCamera() async throws {
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

  /// The output refuses settings that the camera does not have, values outside its range, and settings that contradict
  /// each other.
  @Test func unsupportedSettingsAreRefused() async throws {
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
