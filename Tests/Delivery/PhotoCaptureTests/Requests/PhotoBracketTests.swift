import CaptureCore
import CaptureTestKit
import Locking
import Synchronization
import Testing

@testable import PhotoCapture

/// Brackets: the events and photos of their steps, and merging them. The time limit is for a test whose awaited event
/// never comes.
@Suite(.timeLimit(.minutes(2))) struct PhotoBracketTests {
  @Test("H8: the photos of a bracket come in their order, and one event ends the capture") func bracket() async throws {
    let stage = try await PhotoStage.forShots()
    stage.context.onShot { step throws(CaptureError) in
      guard case .bias(let bias) = step.exposure else {
        throw CaptureError(.invalidArgument, "each step must have a bias")
      }
      var readings = SensorReadings()
      readings.exposureBias = bias
      return ShotConditions(earliest: 0, readings: readings)
    }
    let capture = try stage.output.capture(
      PhotoStage.shot("b") { $0.exposure.bracket = [.bias(-1), .bias(0), .bias(1)] })
    await stage.captureUntilOver()
    var photos: [Photo] = []
    var names: [String] = []
    for await event in capture.events {
      names.append(event.kind.name)
      #expect(event.resolved.photoCount == 3)
      if case .didFinishProcessingPhoto(.success(let photo)) = event.kind { photos.append(photo) }
    }
    #expect(
      names == [
        "willBegin", "willCapture", "didCapture", "didCapture", "didCapture", "photo", "photo", "photo", "end",
      ])
    #expect(photos.map(\.bracketIndex) == [0, 1, 2])
    #expect(photos.map(\.sensor.exposureBias) == [-1, 0, 1])
    #expect(photos[0].frame.sequence < photos[1].frame.sequence && photos[1].frame.sequence < photos[2].frame.sequence)
    #expect(stage.context.shots.count == 1, "the camera is set back once, after the last step")
    #expect(try stage.store.photo("b", index: 2).frame.sequence == photos[2].frame.sequence)
    #expect(throws: CaptureError.self) { try stage.store.photo("b", index: 3) }
  }

  @Test("H5: a merged bracket becomes one photo of all its frames") func mergedBracket() async throws {
    let stage = try await PhotoStage.forShots()
    stage.context.onShot { _ in
      ShotConditions(earliest: 0, readings: SensorReadings(exposureNanoseconds: 500_000, gain: 2))
    }
    let capture = try stage.output.capture(
      PhotoStage.shot("m") {
        $0.exposure.bracket = [.bias(-1), .bias(0), .bias(1)]
        $0.exposure.mergesBracket = true
      })
    await stage.captureUntilOver()
    var names: [String] = []
    var photo: Photo?
    var captured: UInt64?
    for await event in capture.events {
      names.append(event.kind.name)
      if case .didCapturePhoto(let sequence, _, _) = event.kind { captured = sequence }
      #expect((event.resolved.photoCount, event.resolved.fusedFrameCount) == (1, 3))
      #expect(event.resolved.quality == .quality)
      if case .didFinishProcessingPhoto(.success(let made)) = event.kind { photo = made }
    }
    #expect(names == ["willBegin", "willCapture", "didCapture", "photo", "end"])
    let made = try #require(photo)
    #expect((made.fusedFrameCount, made.quality) == (3, .quality))
    #expect(made.bracketIndex == nil)
    #expect(made.sensor.exposureNanoseconds == nil && made.sensor.gain == nil, "no single exposure describes the photo")
    let merged = try #require(stage.processor.made.all.first)
    #expect(merged.frames.count == 3)
    #expect(Set(merged.frames).count == 3)
    #expect(merged.reference == merged.frames[1], "the frame without a bias represents the bracket")
    #expect(captured == made.frame.sequence)
    #expect(try stage.store.photo("m", index: 0).frame.sequence == made.frame.sequence)
  }

  @Test("E4: the times of merging exposures and of merging frames are estimated separately")
  func processingTimesOfBracketsAreSeparate() async throws {
    let stage = try await PhotoStage.forShots()
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    func merges(_ request: inout PhotoRequest) {
      request.exposure.bracket = [.bias(-2), .bias(-1), .bias(0), .bias(1), .bias(2)]
      request.exposure.mergesBracket = true
    }
    var isKnown: [Bool] = []
    for (number, isBracket) in [false, true, false, true].enumerated() {
      let first = 10_000 * UInt64(number + 1)
      for sequence in first..<first + 9 { stage.capture(sequence) }
      var request = PhotoStage.request(arrival: Double(first + 9), quality: .quality)
      if isBracket { merges(&request) }
      let capture = try stage.output.capture(request)
      if isBracket { await stage.captureUntilOver(from: first + 10, until: stage.context.shots.count + 1) }
      var last: PhotoCaptureEvent?
      for await event in capture.events { last = event }
      #expect(last?.resolved.fusedFrameCount == 5)
      isKnown.append(last?.resolved.processingNanoseconds != nil)
    }
    #expect(isKnown == [false, false, true, true])
  }

  @Test("H5: when memory is short, the photo is one exposure and tells its bias") func oneExposureForAll() async throws
  {
    let stage = try await PhotoStage.forShots()
    stage.processor.isOutOfMemory.store(true, ordering: .relaxed)
    stage.context.onShot { step throws(CaptureError) in
      guard case .bias(let bias) = step.exposure else {
        throw CaptureError(.invalidArgument, "each step must have a bias")
      }
      var readings = SensorReadings()
      readings.exposureBias = bias
      return ShotConditions(earliest: 0, readings: readings)
    }
    let capture = try stage.output.capture(
      PhotoStage.shot {
        $0.exposure.bracket = [.bias(2), .bias(-0.5), .bias(-2)]
        $0.exposure.mergesBracket = true
      })
    await stage.captureUntilOver()
    let photo = try await capture.photo()
    #expect((photo.fusedFrameCount, photo.sensor.exposureBias) == (1, -0.5))
    #expect(photo.bracketIndex == nil)
  }

  /// Of manual exposures, none is known to be near automatic exposure, so the middle one represents the bracket.
  @Test func theMiddleOneRepresentsManualExposures() {
    let exposures = [1, 2, 4].map { ManualExposure(nanoseconds: $0 * 1_000_000) }
    #expect(PhotoStage.shot { $0.exposure.bracket = exposures.map { .manual($0) } }.exposure.bracketReference == 1)
  }

  /// Merging is refused for fewer than two exposures, and by an output that does not allow the highest quality.
  @Test func bracketsThatCannotBeMergedAreRefused() async throws {
    let stage = try await PhotoStage.forShots()
    func reason(_ bracket: [Shot.Exposure]) -> CaptureError.Reason? {
      let request = PhotoStage.shot {
        $0.exposure.bracket = bracket
        $0.exposure.mergesBracket = true
      }
      do { _ = try stage.output.capture(request) } catch { return error.reason }
      return nil
    }
    #expect(reason([]) == .invalidArgument)
    #expect(reason([.bias(0)]) == .invalidArgument)
    stage.change { $0.photoFeatures = PhotoFeatures(maxQuality: .balanced, shots: PhotoStage.shotCapabilities) }
    #expect(reason([.bias(0), .bias(1)]) == .unsupportedValue)
  }

  /// When the camera cannot be set, each photo of the bracket gets the error, and the next capture is as usual.
  @Test func aFailedShotFailsEveryPhoto() async throws {
    let stage = try await PhotoStage.forShots()
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.controlGrabbed, "on purpose") }
    let capture = try stage.output.capture(PhotoStage.shot { $0.exposure.bracket = [.bias(-1), .bias(1)] })
    let reason = "controlGrabbed"
    #expect(
      await capture.all().map(\.name) == ["willBegin", "no photo: \(reason)", "no photo: \(reason)", "end: \(reason)"])
    #expect(stage.output.readiness == .ready)
    stage.capture(9)
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 9)).photo().selection.zeroShutterLagUsed)
  }
}
