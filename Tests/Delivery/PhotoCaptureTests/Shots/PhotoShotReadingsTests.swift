import CaptureCore
import CaptureTestKit
import Locking
import SystemClocks
import Testing

@testable import PhotoCapture

/// The effects of a shot on the captures after it: frames with the exposure of the shot, and readings of the driver
/// from that time. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct PhotoShotReadingsTests {
  /// Readings of the driver, which the session asks four times a second.
  private let driversReadings = SensorReadings(exposureNanoseconds: 500_000, gain: 5)

  /// A stage on which each shot gets the values that it sets.
  private func settingStage() async throws -> PhotoStage {
    let stage = try await PhotoStage.forShots()
    stage.context.onShot { step in
      guard case .manual(let exposure) = step.exposure else { return ShotConditions(earliest: 0) }
      return ShotConditions(
        earliest: 0, readings: SensorReadings(exposureNanoseconds: exposure.nanoseconds, gain: exposure.gain))
    }
    return stage
  }

  @Test("J3: a photo of now shows no frame of another capture's exposure") func nowIsNoFrameOfAShot() async throws {
    let stage = try await PhotoStage.forShots()
    try await stage.shoot(end: 7, change: PhotoStage.byHand)
    // The turn of the shot came with frame 3, so the frame before that is the newest one of the usual exposure.
    let before = try await stage.output.capture(PhotoStage.request(arrival: 7)).photo()
    #expect(before.frame.sequence == 2 && before.selection.zeroShutterLagUsed)
    for sequence in UInt64(8)...9 { stage.capture(sequence) }
    let after = try await stage.output.capture(PhotoStage.request(arrival: 9)).photo()
    #expect(after.frame.sequence == 9 && after.selection.zeroShutterLagUsed)
    let named = try await stage.output.capture(PhotoStage.request("", .sequence(5, streamID: 1), arrival: 9)).photo()
    #expect(named.frame.sequence == 5, "a person has seen the frame that the request names")
  }

  @Test("J3: a photo of now shows no frame of a shot that failed") func nowIsNoFrameOfAFailedShot() async throws {
    let stage = try await PhotoStage.forShots()
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    stage.context.shotEnd = .epoch + 7 * PhotoStage.period
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.controlGrabbed, "on purpose") }
    let failed = try stage.output.capture(PhotoStage.shot(change: PhotoStage.byHand))
    #expect(await failed.all().last?.name == "end: controlGrabbed")
    for sequence in UInt64(4)...7 { stage.capture(sequence) }
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 7)).photo().frame.sequence == 2)
  }

  @Test("J3: a photo does not tell readings of an earlier shot") func readingsOfAnEarlierShotAreNotTold() async throws {
    let stage = try await PhotoStage.forShots()
    try await stage.shoot(end: 7, change: PhotoStage.byHand)
    // The readings of frames 8 and 13 may be from less than 250 ms after the end of the shot; those of frame 14 are
    // not.
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

  @Test("J3: a shot does not tell readings of the shot before it") func aShotTellsNoReadingsOfTheShotBefore()
    async throws
  {
    let stage = try await settingStage()
    let first = try await stage.shoot(end: 7, sensor: driversReadings, change: PhotoStage.byHand)
    #expect(
      (first.sensor.exposureNanoseconds, first.sensor.gain) == (500_000, 5),
      "the shot did not set the gain, so the driver's value counts")
    // The first shot follows at once. The second one comes after the session has asked the driver again.
    for (sequence, told) in [(UInt64(8), SensorReadings()), (21, driversReadings)] {
      let lit = try await stage.shoot(from: sequence, end: sequence + 6, sensor: driversReadings) {
        $0.exposure.flashMode = .on
      }
      #expect((lit.sensor.exposureNanoseconds, lit.sensor.gain) == (told.exposureNanoseconds, told.gain))
    }
  }

  @Test("H8: a step of a bracket does not tell readings of the step before it")
  func aStepTellsNoReadingsOfTheStepBefore() async throws {
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

  @Test("J3: when the ring has only frames of a shot, a photo of now waits for the next frame")
  func nowWaitsForTheEndOfAShot() async throws {
    let stage = try await PhotoStage.forShots()
    try await stage.shoot(end: 8, change: PhotoStage.byHand)
    stage.context.dropFrames(keeping: 3)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 7))
    for sequence in UInt64(8)...9 { stage.capture(sequence) }
    let photo = try await capture.photo()
    #expect(photo.frame.sequence == 9 && !photo.selection.zeroShutterLagUsed, "frame 8 still belongs to the shot")
  }
}
