import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// What a shot leaves behind for those after it: frames of its exposure, and what the driver tells then.
/// The limit only ends a broken test.
@Suite(.timeLimit(.minutes(2))) struct PhotoShotReadingsTests {
  /// Those of a driver: it is asked four times a second.
  private let driversReadings = SensorReadings(exposureNanoseconds: 500_000, gain: 5)

  /// A stage whose shots come to what they set.
  private func settingStage() async throws -> PhotoStage {
    let stage = try await PhotoStage.forShots()
    stage.context.onShot { step in
      guard case .manual(let exposure) = step.exposure else { return ShotConditions(earliest: 0) }
      return ShotConditions(
        earliest: 0, readings: SensorReadings(exposureNanoseconds: exposure.nanoseconds, gain: exposure.gain))
    }
    return stage
  }

  @Test("J3") func nowIsNoFrameOfAnothersExposure() async throws {
    let stage = try await PhotoStage.forShots()
    try await stage.shoot(end: 7, change: PhotoStage.byHand)
    // The newest before its turn came with frame 3.
    let before = try await stage.output.capture(PhotoStage.request(arrival: 7)).photo()
    #expect(before.frame.sequence == 2 && before.selection.zeroShutterLagUsed)
    for sequence in UInt64(8)...9 { stage.capture(sequence) }
    let after = try await stage.output.capture(PhotoStage.request(arrival: 9)).photo()
    #expect(after.frame.sequence == 9 && after.selection.zeroShutterLagUsed)
    let named = try await stage.output.capture(PhotoStage.request("", .sequence(5, streamID: 1), arrival: 9)).photo()
    #expect(named.frame.sequence == 5, "who names it has seen it")
  }

  @Test("J3") func nowIsNoFrameOfAShotThatFailed() async throws {
    let stage = try await PhotoStage.forShots()
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    stage.context.shotEnd = .epoch + 7 * PhotoStage.period
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.controlGrabbed, "on purpose") }
    let failed = try stage.output.capture(PhotoStage.shot(change: PhotoStage.byHand))
    #expect(await failed.all().last?.name == "end: controlGrabbed")
    for sequence in UInt64(4)...7 { stage.capture(sequence) }
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 7)).photo().frame.sequence == 2)
  }

  @Test("J3") func readingsOfAnothersShotAreNotTold() async throws {
    let stage = try await PhotoStage.forShots()
    try await stage.shoot(end: 7, change: PhotoStage.byHand)
    // Read less than 250 ms after the shot's end, and later.
    for (sequence, gain) in [(UInt64(8), Int64?.none), (13, nil), (14, 5)] {
      stage.capture(sequence, sensor: SensorReadings(gain: 5))
      let photo = try await stage.output.capture(PhotoStage.request(arrival: Double(sequence))).photo()
      #expect(photo.frame.sequence == sequence)
      #expect(photo.sensor.gain == gain)
    }
    var own = SensorReadings(gain: 5)
    own.isOfFrame = true
    try await stage.shoot(from: 15, end: 21, change: PhotoStage.byHand)
    stage.capture(22, sensor: own)
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 22)).photo().sensor == own)
  }

  @Test("J3") func aShotTellsNoReadingsOfTheShotBefore() async throws {
    let stage = try await settingStage()
    let first = try await stage.shoot(end: 7, sensor: driversReadings, change: PhotoStage.byHand)
    #expect((first.sensor.exposureNanoseconds, first.sensor.gain) == (500_000, 5), "nobody set the gain")
    // At once, and when the driver was asked again.
    for (sequence, told) in [(UInt64(8), SensorReadings()), (21, driversReadings)] {
      let lit = try await stage.shoot(from: sequence, end: sequence + 6, sensor: driversReadings) {
        $0.exposure.flashMode = .on
      }
      #expect((lit.sensor.exposureNanoseconds, lit.sensor.gain) == (told.exposureNanoseconds, told.gain))
    }
  }

  @Test("H8") func aStepTellsNoReadingsOfTheStepBefore() async throws {
    let stage = try await settingStage()
    let capture = try stage.output.capture(
      PhotoStage.shot {
        $0.exposure.bracket = [.manual(ManualExposure(nanoseconds: 500_000)), .manual(ManualExposure(gain: 3))]
      })
    await stage.captureUntilOver(sensor: driversReadings)
    var told: [SensorReadings] = []
    for await event in capture.events {
      if case .didFinishProcessingPhoto(.success(let photo)) = event.kind { told.append(photo.sensor) }
    }
    #expect(told.map(\.exposureNanoseconds) == [500_000, nil])
    #expect(told.map(\.gain) == [5, 3])
  }

  @Test("J3") func whereAllFramesAreOfAnothersExposureNowIsTheNextOne() async throws {
    let stage = try await PhotoStage.forShots()
    try await stage.shoot(end: 8, change: PhotoStage.byHand)
    stage.context.dropFrames(keeping: 3)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 7))
    for sequence in UInt64(8)...9 { stage.capture(sequence) }
    let photo = try await capture.photo()
    #expect(photo.frame.sequence == 9 && !photo.selection.zeroShutterLagUsed, "the eighth is still of the shot")
  }
}
