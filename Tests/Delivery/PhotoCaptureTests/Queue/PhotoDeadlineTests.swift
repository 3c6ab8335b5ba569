import CaptureCore
import CaptureTestKit
import Testing

@testable import PhotoCapture

/// Captures and tracking that end by themselves after some time. The time limit is for a test whose awaited event never
/// comes.
@Suite(.timeLimit(.minutes(2))) struct PhotoDeadlineTests {
  /// When the camera brings no frame for the patience of the session, the captures that wait for one fail, one after
  /// the other. The output then takes photos again.
  @Test func aStalledCameraEndsTheCapturesThatWait() async throws {
    let stage = try await PhotoStage()
    let capture = try stage.output.capture(PhotoStage.request("a"))
    let next = try stage.output.capture(PhotoStage.request("b"))
    for (waiting, sleeps) in [(capture, 1), (next, 2)] {
      _ = try await stage.timer.sleeps.wait(count: sleeps)
      stage.pass(seconds: 5)
      #expect(
        await waiting.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    }
    #expect(stage.output.readiness == .ready)
    stage.capture(400)
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 400)).photo().frame.sequence == 400)
  }

  /// When the camera stalls while a photo waits for further frames to merge, the photo is made of those it has.
  @Test func aStalledCameraCostsAPhotoOnlyItsFurtherFrames() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false)
    let capture = try stage.output.capture(PhotoStage.request(quality: .quality))
    for sequence in UInt64(1)...2 { stage.capture(sequence) }
    _ = try await stage.timer.sleeps.wait(count: 1)
    stage.pass(seconds: 5)
    #expect(try await capture.photo().fusedFrameCount == 2)
  }

  /// A capture whose deadline is nearer than that of a tracked capture ends in time. The watch then goes on for the
  /// tracked capture.
  @Test func aNearerDeadlineIsKeptToo() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false)
    let watched = try stage.output.watchReadiness()
    try stage.output.startTracking(PhotoStage.request("tracked"), watcher: nil)
    _ = try await stage.timer.sleeps.wait(count: 1)
    let capture = try stage.output.capture(PhotoStage.request("asked"))
    _ = try await stage.timer.sleeps.wait(count: 2)
    stage.pass(seconds: 5)
    #expect(
      await capture.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    // One of the two watchers now sleeps until the tracking ends.
    _ = try await stage.timer.sleeps.wait(count: 3)
    #expect(stage.output.readiness != .ready)
    stage.pass(seconds: 5)
    for try await readiness in watched where readiness == .ready { return }
  }

  /// A watcher is started only when no other one wakes in time. The new watcher takes over, and the former one ends
  /// when it wakes.
  @Test func ofTwoWatchersTheOneThatWakesFirstGoesOn() {
    var watch = DeadlineWatch()
    #expect(watch.begin(before: nil) == nil)
    #expect(watch.begin(before: 10) == 1)
    #expect(watch.begin(before: 10) == nil)
    #expect(watch.begin(before: 12) == nil)
    #expect(watch.begin(before: 5) == 2)
    #expect(watch.next(of: 1, 5) == nil)
    #expect(watch.next(of: 2, 10) == 10)
    #expect(watch.next(of: 2, nil) == nil)
    #expect(watch.begin(before: 20) == 3)
  }

  @Test("F2: tracking without a watcher ends after ten seconds, also without frames")
  func trackingWithoutAWatcherEnds() async throws {
    let stage = try await PhotoStage()
    let watched = try stage.output.watchReadiness()
    try stage.output.startTracking(PhotoStage.request("a"), watcher: nil)
    #expect(stage.output.readiness != .ready)
    _ = try await stage.timer.sleeps.wait(count: 1)
    stage.pass(seconds: 10)
    for try await readiness in watched where readiness == .ready { return }
  }
}
