import CaptureCore
import CaptureTestKit
import Synchronization
import SystemClocks
import Testing

@testable import PhotoCapture

/// Stages and requests for shots: captures for which the session sets the camera.
extension PhotoStage {
  static let shotCapabilities = ShotCapabilities(
    exposures: 100_000...10_000_000, gains: 1...8, biases: -2...2, hasFlash: true)

  static func forShots(
    responsive: Bool = false, gated: Bool = false, _ shots: ShotCapabilities = shotCapabilities
  ) async throws -> PhotoStage {
    let stage = try await PhotoStage(responsive: responsive, gated: gated)
    stage.change {
      $0.photoFeatures =
        PhotoFeatures(maxQuality: .quality, responsiveCapture: responsive, shots: shots)
    }
    return stage
  }

  static func shot(_ id: String = "", quality: PhotoQuality = .speed, change: (inout PhotoRequest) -> Void)
    -> PhotoRequest
  {
    var request = request(id, arrival: 1, quality: quality)
    change(&request)
    return request
  }

  static func byHand(_ request: inout PhotoRequest) {
    request.exposure.manualExposure = ManualExposure(nanoseconds: 500_000)
  }

  /// Returns once a capture waits for a frame. The test notices this by the deadline, which only such a capture has.
  func waitsForAFrame() async {
    while output.queue.read({ $0.places.nextDeadline == nil }) { await Task.yield() }
  }

  /// Captures frames until `count` shots are over. No fixed number of frames is enough, because the test does not know
  /// when a shot begins to wait for frames.
  func captureUntilOver(
    from first: UInt64 = 2, until count: Int = 1, sensor: SensorReadings = SensorReadings()
  ) async {
    var sequence = first
    while context.shots.count < count {
      capture(sequence, sensor: sensor)
      sequence += 1
      await Task.yield()
    }
  }

  /// Captures three frames from `first` on, requests a shot, and captures four more frames once the shot waits for
  /// them. The photo shows one of these four. From frame `end` on, the camera has its former settings again.
  @discardableResult
  func shoot(
    from first: UInt64 = 1, end: UInt64, sensor: SensorReadings = SensorReadings(),
    change: (inout PhotoRequest) -> Void
  ) async throws -> Photo {
    for sequence in first...first + 2 { capture(sequence, sensor: sensor) }
    context.shotEnd = .epoch + end * Self.period
    let capture = try output.capture(Self.shot(change: change))
    while output.queue.read({ !$0.shots.hasStep }) { await Task.yield() }
    for sequence in first + 3...first + 6 { self.capture(sequence, sensor: sensor) }
    let photo = try await capture.photo()
    #expect(photo.frame.sequence > first + 2)
    return photo
  }
}
