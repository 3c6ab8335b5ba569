import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import Testing

@testable import PhotoCapture

/// The limit only ends a broken test.
@Suite(.timeLimit(.minutes(2))) struct PhotoShotTests {
  private static let capabilities = ShotCapabilities(
    exposures: 100_000...10_000_000, gains: 1...8, biases: -2...2, hasFlash: true)

  private func stage(responsive: Bool = false, _ shots: ShotCapabilities = capabilities) async throws -> PhotoStage {
    let stage = try await PhotoStage(responsive: responsive)
    stage.output.photoFeaturesDidChange(
      PhotoFeatures(maxQuality: .quality, responsiveCapture: responsive, shots: shots))
    return stage
  }

  private func request(_ id: String = "", quality: PhotoQuality = .speed, change: (inout PhotoRequest) -> Void)
    -> PhotoRequest
  {
    var request = PhotoStage.request(id, arrival: 1, quality: quality)
    change(&request)
    return request
  }

  private func manual(_ request: inout PhotoRequest) { request.manualExposure = ManualExposure(nanoseconds: 500_000) }

  /// Captures frames until the shot is over: it is not known when the camera is set.
  private func frames(
    _ stage: PhotoStage, from first: UInt64 = 2, until count: Int = 1, sensor: SensorReadings = SensorReadings()
  ) async {
    var sequence = first
    while stage.context.shots.count < count {
      stage.capture(sequence, sensor: sensor)
      sequence += 1
      await Task.yield()
    }
  }

  @Test("J3: a manual exposure is not from the ring") func manualExposureIsLive() async throws {
    let stage = try await stage()
    stage.capture(1)
    stage.context.onShot { step in
      #expect(step == Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 500_000))))
      return ShotConditions(earliest: 3 * PhotoStage.period, readings: SensorReadings(exposureNanoseconds: 500_000))
    }
    var named = request(change: manual)
    named.moment = .sequence(1, streamID: 1)
    let capture = try stage.output.capture(named)
    #expect(stage.output.readiness == .notReadyWaitingForCapture)
    await frames(stage)
    let photo = try await capture.photo()
    #expect(!photo.zeroShutterLagUsed)
    #expect(photo.sequence >= 5, "two frames after the third")
    #expect(photo.phases.captureBegin == PhotoStage.period, "when its turn came")
    #expect(photo.sensor.exposureNanoseconds == 500_000)
    #expect(photo.sensor.isFlashOn == false)
    #expect(stage.output.readiness == .ready)
  }

  @Test func mergedFramesFollow() async throws {
    let stage = try await stage()
    let capture = try stage.output.capture(request(quality: .balanced, change: manual))
    await frames(stage)
    #expect(try await capture.photo().fusedFrameCount == 3)
    let made = stage.processor.made.all[0]
    #expect(made.reference == made.frames[0])
  }

  @Test func noMoreFramesAreMergedThanPressureAllows() async throws {
    let stage = try await stage()
    stage.output.limitsDidChange(PictureLimits(fusedFrames: 2))
    let capture = try stage.output.capture(request(quality: .quality, change: manual))
    await frames(stage)
    #expect(try await capture.photo().fusedFrameCount == 2)
  }

  @Test func aPhotoIsNotLostForWhatItWouldBeMergedWith() async throws {
    let stage = try await stage()
    let capture = try stage.output.capture(request(quality: .quality, change: manual))
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    // Two are from before the settings act.
    for sequence in UInt64(2)...5 { stage.capture(sequence) }
    stage.context.endShotFrames()
    #expect(try await capture.photo().fusedFrameCount == 2)
  }

  /// The session's turn is over before the output knows of it.
  @Test(arguments: [SessionState.stopping, .stopped, .interrupted])
  func aStopDoesNotLoseAShotThatHasItsFrames(_ state: SessionState) async throws {
    let stage = try await stage()
    let (taken, hasFrames) = AsyncStream.makeStream(of: Void.self)
    let (ending, end) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotFrames {
      hasFrames.finish()
      for await _ in ending {}
    }
    let capture = try stage.output.capture(request(change: manual))
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    for sequence in UInt64(2)...5 { stage.capture(sequence) }
    for await _ in taken {}
    stage.sessionBecomes(state)
    end.finish()
    #expect(try await capture.photo().sequence > 2)
  }

  @Test func aStopEndsAShotWithoutFrames() async throws {
    let stage = try await stage()
    let (turn, begin) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotTurn { for await _ in turn {} }
    // As a session that does not run any more.
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.operationInterrupted, "on purpose") }
    let capture = try stage.output.capture(request(change: manual))
    stage.sessionBecomes(.stopped)
    begin.finish()
    let reason = "operationInterrupted"
    #expect(await capture.all().map(\.name) == ["willBegin", "no photo: \(reason)", "end: \(reason)"])
    let isIdle = stage.output.state.withLock(\.queue.isIdle)
    #expect(isIdle)
  }

  @Test func aDisabledConnectionEndsAShot() async throws {
    let stage = try await stage()
    let capture = try stage.output.capture(request(change: manual))
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    stage.output.connectionDidChange(Connection(isEnabled: false))
    #expect(await capture.all().last?.name == "end: operationInterrupted")
  }

  @Test func whatWasGivenUpBeforeItsTurnIsNotCarriedOut() async throws {
    let stage = try await stage()
    stage.capture(1)
    let (turn, begin) = AsyncStream.makeStream(of: Void.self)
    stage.context.onShotTurn { for await _ in turn {} }
    let capture = try stage.output.capture(request { $0.flashMode = .on })
    stage.output.reconfigurationWillBegin()
    #expect(
      await capture.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    begin.finish()
    while stage.output.state.withLock({ $0.shotShadow.end == .max }) { await Task.yield() }
    #expect(stage.context.shots.count == 0)
  }

  @Test("H8: a bracket has its photos in order and one end") func bracket() async throws {
    let stage = try await stage()
    stage.context.onShot { step throws(CaptureError) in
      guard case .bias(let bias) = step.exposure else { throw CaptureError(.invalidArgument, "not a bias") }
      var readings = SensorReadings()
      readings.exposureBias = bias
      return ShotConditions(earliest: 0, readings: readings)
    }
    let capture = try stage.output.capture(request("b") { $0.bracket = [.bias(-1), .bias(0), .bias(1)] })
    await frames(stage)
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
    #expect(photos[0].sequence < photos[1].sequence && photos[1].sequence < photos[2].sequence)
    #expect(stage.context.shots.count == 1, "set back once")
    #expect(try stage.store.photo("b", index: 2).sequence == photos[2].sequence)
    #expect(throws: CaptureError.self) { try stage.store.photo("b", index: 3) }
  }

  @Test("H5: a merged bracket is one photo of all its frames") func mergedBracket() async throws {
    let stage = try await stage()
    stage.context.onShot { _ in
      ShotConditions(earliest: 0, readings: SensorReadings(exposureNanoseconds: 500_000, gain: 2))
    }
    let capture = try stage.output.capture(
      request("m") {
        $0.bracket = [.bias(-1), .bias(0), .bias(1)]
        $0.mergesBracket = true
      })
    await frames(stage)
    var names: [String] = []
    var photo: Photo?
    var captured: UInt64?
    for await event in capture.events {
      names.append(event.kind.name)
      if case .didCapturePhoto(let sequence, _) = event.kind { captured = sequence }
      #expect((event.resolved.photoCount, event.resolved.fusedFrameCount) == (1, 3))
      #expect(event.resolved.quality == .quality)
      if case .didFinishProcessingPhoto(.success(let made)) = event.kind { photo = made }
    }
    #expect(names == ["willBegin", "willCapture", "didCapture", "photo", "end"])
    let made = try #require(photo)
    #expect((made.fusedFrameCount, made.quality) == (3, .quality))
    #expect(made.bracketIndex == nil)
    #expect(made.sensor.exposureNanoseconds == nil && made.sensor.gain == nil, "it has no one exposure")
    let merged = try #require(stage.processor.made.all.first)
    #expect(merged.frames.count == 3)
    #expect(Set(merged.frames).count == 3)
    #expect(merged.reference == merged.frames[1], "the one without a bias stands for all")
    #expect(captured == made.sequence)
    #expect(try stage.store.photo("m", index: 0).sequence == made.sequence)
  }

  @Test("E4") func howLongMergingExposuresTakesSaysNothingOfMergingFrames() async throws {
    let stage = try await stage()
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    func merges(_ request: inout PhotoRequest) {
      request.bracket = [.bias(-2), .bias(-1), .bias(0), .bias(1), .bias(2)]
      request.mergesBracket = true
    }
    var isKnown: [Bool] = []
    for (number, isBracket) in [false, true, false, true].enumerated() {
      let first = 10_000 * UInt64(number + 1)
      for sequence in first..<first + 9 { stage.capture(sequence) }
      var request = PhotoStage.request(arrival: Double(first + 9), quality: .quality)
      if isBracket { merges(&request) }
      let capture = try stage.output.capture(request)
      if isBracket { await frames(stage, from: first + 10, until: stage.context.shots.count + 1) }
      var last: PhotoCaptureEvent?
      for await event in capture.events { last = event }
      #expect(last?.resolved.fusedFrameCount == 5)
      isKnown.append(last?.resolved.processingNanoseconds != nil)
    }
    #expect(isKnown == [false, false, true, true])
  }

  @Test("H5: where memory is short one exposure is the photo, and tells so") func oneExposureForAll() async throws {
    let stage = try await stage()
    stage.processor.isOutOfMemory.store(true, ordering: .relaxed)
    stage.context.onShot { step throws(CaptureError) in
      guard case .bias(let bias) = step.exposure else { throw CaptureError(.invalidArgument, "not a bias") }
      var readings = SensorReadings()
      readings.exposureBias = bias
      return ShotConditions(earliest: 0, readings: readings)
    }
    let capture = try stage.output.capture(
      request {
        $0.bracket = [.bias(2), .bias(-0.5), .bias(-2)]
        $0.mergesBracket = true
      })
    await frames(stage)
    let photo = try await capture.photo()
    #expect((photo.fusedFrameCount, photo.sensor.exposureBias) == (1, -0.5))
    #expect(photo.bracketIndex == nil)
  }

  @Test func theExposureInTheMiddleStandsForAllByHand() {
    let exposures = [1, 2, 4].map { ManualExposure(nanoseconds: $0 * 1_000_000) }
    #expect(request { $0.bracket = exposures.map { .manual($0) } }.bracketReference == 1)
  }

  @Test func whatCannotBeMergedIsRefused() async throws {
    let stage = try await stage()
    func reason(_ bracket: [Shot.Exposure]) -> CaptureError.Reason? {
      let request = request {
        $0.bracket = bracket
        $0.mergesBracket = true
      }
      do { _ = try stage.output.capture(request) } catch { return error.reason }
      return nil
    }
    #expect(reason([]) == .invalidArgument)
    #expect(reason([.bias(0)]) == .invalidArgument)
    stage.output.photoFeaturesDidChange(PhotoFeatures(maxQuality: .balanced, shots: Self.capabilities))
    #expect(reason([.bias(0), .bias(1)]) == .unsupportedValue)
  }

  @Test func whatFailsFailsForEveryPhoto() async throws {
    let stage = try await stage()
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.controlGrabbed, "on purpose") }
    let capture = try stage.output.capture(request { $0.bracket = [.bias(-1), .bias(1)] })
    let reason = "controlGrabbed"
    #expect(
      await capture.all().map(\.name) == ["willBegin", "no photo: \(reason)", "no photo: \(reason)", "end: \(reason)"])
    #expect(stage.output.readiness == .ready)
    // The next one is as ever.
    stage.capture(9)
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 9)).photo().zeroShutterLagUsed)
  }

  @Test func othersWaitForTheirTurn() async throws {
    let stage = try await stage(responsive: true)
    stage.capture(1)
    let shot = try stage.output.capture(request("shot", change: manual))
    let next = try stage.output.capture(PhotoStage.request("next", arrival: 1))
    #expect(stage.output.readiness == .notReadyWaitingForCapture)
    await frames(stage)
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

  @Test func aFlashIsOneFrameAndTold() async throws {
    let stage = try await stage()
    stage.context.onShot { step in ShotConditions(earliest: 0, isFlashOn: step.flash) }
    let capture = try stage.output.capture(request(quality: .quality) { $0.flashMode = .on })
    await frames(stage)
    let photo = try await capture.photo()
    #expect(photo.sensor.isFlashOn == true)
    #expect((photo.quality, photo.fusedFrameCount) == (.speed, 1))
  }

  @Test func aFlashThatWentOutIsNoPhoto() async throws {
    let stage = try await stage()
    stage.context.onShot { _ in ShotConditions(earliest: 0, latest: 1, isFlashOn: true) }
    let capture = try stage.output.capture(request { $0.flashMode = .on })
    await frames(stage)
    let error = await #expect(throws: CaptureError.self) { try await capture.photo() }
    #expect(error?.reason == .processingFailed)
  }

  @Test("H3: flash auto is for the dark") func automaticFlash() async throws {
    for (luma, isLit) in [(UInt8(20), true), (200, false)] {
      let stage = try await stage()
      stage.context.onShot { step in ShotConditions(earliest: 0, isFlashOn: step.flash) }
      // The frame's number is its brightness.
      stage.capture(UInt64(luma))
      let asked = request {
        $0.flashMode = .auto
        $0.arrivalNanoseconds = UInt64(luma) * PhotoStage.period
      }
      let capture = try stage.output.capture(try await stage.output.decidingFlash(asked))
      if isLit { await frames(stage, from: UInt64(luma) + 1) }
      let photo = try await capture.photo()
      #expect(photo.zeroShutterLagUsed == !isLit)
      #expect(photo.sensor.isFlashOn == (isLit ? true : nil))
    }
  }

  /// Takes a shot of the fourth to the seventh frame from `first` on, after which the camera is as before from `end` on.
  @discardableResult
  private func shoot(
    _ stage: PhotoStage, from first: UInt64 = 1, end: UInt64, sensor: SensorReadings = SensorReadings(),
    change: (inout PhotoRequest) -> Void
  ) async throws -> Photo {
    for sequence in first...first + 2 { stage.capture(sequence, sensor: sensor) }
    stage.context.shotEnd = end * PhotoStage.period
    let capture = try stage.output.capture(request(change: change))
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    for sequence in first + 3...first + 6 { stage.capture(sequence, sensor: sensor) }
    let photo = try await capture.photo()
    #expect(photo.sequence > first + 2)
    return photo
  }

  @Test("J3") func nowIsNoFrameOfAnothersExposure() async throws {
    let stage = try await stage()
    try await shoot(stage, end: 7, change: manual)
    // The newest before its turn came with frame 3.
    let before = try await stage.output.capture(PhotoStage.request(arrival: 7)).photo()
    #expect(before.sequence == 2 && before.zeroShutterLagUsed)
    for sequence in UInt64(8)...9 { stage.capture(sequence) }
    let after = try await stage.output.capture(PhotoStage.request(arrival: 9)).photo()
    #expect(after.sequence == 9 && after.zeroShutterLagUsed)
    let named = try await stage.output.capture(PhotoStage.request("", .sequence(5, streamID: 1), arrival: 9)).photo()
    #expect(named.sequence == 5, "who names it has seen it")
  }

  @Test("J3") func nowIsNoFrameOfAShotThatFailed() async throws {
    let stage = try await stage()
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    stage.context.shotEnd = 7 * PhotoStage.period
    stage.context.onShot { _ throws(CaptureError) in throw CaptureError(.controlGrabbed, "on purpose") }
    let failed = try stage.output.capture(request(change: manual))
    #expect(await failed.all().last?.name == "end: controlGrabbed")
    for sequence in UInt64(4)...7 { stage.capture(sequence) }
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 7)).photo().sequence == 2)
  }

  @Test("J3") func readingsOfAnothersShotAreNotTold() async throws {
    let stage = try await stage()
    try await shoot(stage, end: 7, change: manual)
    // Read less than 250 ms after the shot's end, and later.
    for (sequence, gain) in [(UInt64(8), Int64?.none), (13, nil), (14, 5)] {
      stage.capture(sequence, sensor: SensorReadings(gain: 5))
      let photo = try await stage.output.capture(PhotoStage.request(arrival: Double(sequence))).photo()
      #expect(photo.sequence == sequence)
      #expect(photo.sensor.gain == gain)
    }
    var own = SensorReadings(gain: 5)
    own.isOfFrame = true
    try await shoot(stage, from: 15, end: 21, change: manual)
    stage.capture(22, sensor: own)
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 22)).photo().sensor == own)
  }

  /// Those of a driver: it is asked four times a second.
  private let driversReadings = SensorReadings(exposureNanoseconds: 500_000, gain: 5)

  /// A stage whose shots come to what they set.
  private func settingStage() async throws -> PhotoStage {
    let stage = try await stage()
    stage.context.onShot { step in
      guard case .manual(let exposure) = step.exposure else { return ShotConditions(earliest: 0) }
      return ShotConditions(
        earliest: 0, readings: SensorReadings(exposureNanoseconds: exposure.nanoseconds, gain: exposure.gain))
    }
    return stage
  }

  @Test("J3") func aShotTellsNoReadingsOfTheShotBefore() async throws {
    let stage = try await settingStage()
    let first = try await shoot(stage, end: 7, sensor: driversReadings, change: manual)
    #expect((first.sensor.exposureNanoseconds, first.sensor.gain) == (500_000, 5), "nobody set the gain")
    // At once, and when the driver was asked again.
    for (sequence, told) in [(UInt64(8), SensorReadings()), (21, driversReadings)] {
      let lit = try await shoot(stage, from: sequence, end: sequence + 6, sensor: driversReadings) {
        $0.flashMode = .on
      }
      #expect((lit.sensor.exposureNanoseconds, lit.sensor.gain) == (told.exposureNanoseconds, told.gain))
    }
  }

  @Test("H8") func aStepTellsNoReadingsOfTheStepBefore() async throws {
    let stage = try await settingStage()
    let capture = try stage.output.capture(
      request { $0.bracket = [.manual(ManualExposure(nanoseconds: 500_000)), .manual(ManualExposure(gain: 3))] })
    await frames(stage, sensor: driversReadings)
    var told: [SensorReadings] = []
    for await event in capture.events {
      if case .didFinishProcessingPhoto(.success(let photo)) = event.kind { told.append(photo.sensor) }
    }
    #expect(told.map(\.exposureNanoseconds) == [500_000, nil])
    #expect(told.map(\.gain) == [5, 3])
  }

  @Test("J3") func whereAllFramesAreOfAnothersExposureNowIsTheNextOne() async throws {
    let stage = try await stage()
    try await shoot(stage, end: 8, change: manual)
    stage.context.dropFrames(keeping: 3)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 7))
    for sequence in UInt64(8)...9 { stage.capture(sequence) }
    let photo = try await capture.photo()
    #expect(photo.sequence == 9 && !photo.zeroShutterLagUsed, "the eighth is still of the shot")
  }

  @Test("H3") func anAutomaticFlashDoesNotLookAtWhatAnotherLit() async throws {
    let stage = try await stage()
    // A frame's number is its brightness.
    for sequence in UInt64(30)...32 { stage.capture(sequence) }
    stage.context.shotEnd = 100 * PhotoStage.period
    let lit = try stage.output.capture(request { $0.flashMode = .on })
    while stage.output.state.withLock({ $0.exposure == nil }) { await Task.yield() }
    for sequence in UInt64(41)...46 { stage.capture(sequence) }
    _ = try await lit.photo()
    let asked = request { $0.flashMode = .auto }
    #expect(try await stage.output.decidingFlash(asked).flashMode == .on)
    stage.context.dropFrames(keeping: 2)
    #expect(try await stage.output.decidingFlash(asked).flashMode == .on, "as dark as it was")
    stage.capture(150)
    #expect(try await stage.output.decidingFlash(asked).flashMode == .off)
  }

  @Test("H3") func anAutomaticFlashLooksAtCompressedFrames() async throws {
    let stage = try await stage()
    let pool = FramePool(budget: 16 << 20)
    let layout = try #require(FrameLayout.packed(.yuv420, Size(width: 64, height: 64), range: .full))
    for (sequence, luma, mode) in [(UInt64(1), UInt8(20), FlashMode.on), (2, 200, .off)] {
      let memory = pool.take(layout.byteCount)!
      _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: luma)
      let picture = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
      let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 90)
      let time = FrameTime(
        monotonicNanoseconds: sequence * PhotoStage.period, wallNanoseconds: 0, source: .startOfExposure)
      stage.context.keep(
        Frame(
          streamID: 1, sequence: sequence, time: time, layout: jpeg.layout, buffer: jpeg.buffer, missing: DropCounts()))
      let asked = request { $0.flashMode = .auto }
      let answers = try await withThrowingTaskGroup(of: FlashMode.self) { group in
        for _ in 1...20 { group.addTask { try await stage.output.decidingFlash(asked).flashMode } }
        return try await group.reduce(into: Set<FlashMode>()) { $0.insert($1) }
      }
      #expect(answers == [mode])
    }
  }

  @Test("H3") func whoLeftHasNoAnswerWhetherTheFlashFires() async throws {
    let stage = try await stage()
    let asked = request { $0.flashMode = .auto }
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stage.output.decidingFlash(asked)
    }
    await #expect(throws: CancellationError.self) { try await asking.value }
  }

  @Test("F2") func aTrackedCaptureOfALargerSizeWaitsForTheCamera() async throws {
    let (streamed, larger) = (Size(width: 64, height: 36), Size(width: 128, height: 72))
    var shots = Self.capabilities
    shots.sizes = [streamed, larger]
    let stage = try await PhotoStage()
    var features = PhotoFeatures(shots: shots)
    features.maxSize = larger
    stage.output.photoFeaturesDidChange(features)
    #expect(
      try stage.output.startTracking(request("a") { $0.size = streamed }, watcher: nil) == .notReadyWaitingForProcessing
    )
    stage.output.stopTracking("a")
    #expect(
      try stage.output.startTracking(request("a") { $0.size = larger }, watcher: nil) == .notReadyWaitingForCapture)
  }

  @Test func whatTheCameraLacksIsRefused() async throws {
    let stage = try await stage(ShotCapabilities(biases: -1...1))
    func reason(_ change: (inout PhotoRequest) -> Void) -> CaptureError.Reason? {
      do throws(CaptureError) { _ = try stage.output.capture(request(change: change)) } catch { return error.reason }
      return nil
    }
    for mode in [FlashMode.on, .auto] { #expect(reason { $0.flashMode = mode } == .unsupportedValue) }
    #expect(reason(manual) == .notSupportedInConfiguration)
    #expect(reason { $0.manualExposure = ManualExposure(gain: 1) } == .notSupportedInConfiguration)
    #expect(reason { $0.bracket = [.bias(1.5)] } == .unsupportedValue)
    #expect(reason { $0.bracket = Array(repeating: .bias(0), count: 6) } == .invalidArgument)
    #expect(
      reason {
        $0.bracket = [.bias(0)]
        $0.flashMode = .auto
      } == .invalidArgument)
  }
}
