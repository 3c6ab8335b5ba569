import CaptureCore
import CaptureTestKit
import Locking
import Synchronization
import SystemClocks
import Testing

@testable import PhotoCapture

/// Tests how captures overlap, how many frames their photos are made of, and how readiness and prepared settings follow
/// the captures and the session. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct ResponsiveCaptureTests {
  @Test("J2: frames that only improve a photo leave memory for the frames that other photos show")
  func framesThatImproveAPhotoLeaveMemory() async throws {
    let stage = try await PhotoStage(responsive: true, gated: true)
    // The pool may lend nine frames. A capture adds frames to its own only while at most half of the nine are lent, so
    // the capture of frame 8 holds four. Captures leave two frames to the camera, which leaves three for the others.
    let pool = FramePool(budget: 13 * 4096, kept: 4 * 4096)
    for sequence in UInt64(1)...8 { stage.capture(sequence, pool: pool) }
    let named: [UInt64] = [8, 1, 2, 3]
    let captures = try named.map {
      try stage.output.capture(PhotoStage.request("", .sequence($0, streamID: 1), arrival: 8, quality: .quality))
    }
    stage.capture(9, pool: pool)
    for _ in captures { stage.encoder.pass() }
    for (capture, sequence) in zip(captures, named) {
      let photo = try await capture.photo()
      #expect(photo.frame.sequence == sequence && photo.selection.zeroShutterLagUsed && photo.selection.match == .exact)
    }
    // Several photo threads process photos, so the photo of frame 8 may be at any place of the list.
    #expect(stage.processor.made.all.first { $0.reference == 8 }?.frames == [5, 6, 7, 8])
  }

  @Test("J6: captures overlap, and the client gets the photos in the order of its requests")
  func capturesOverlapAndPhotosComeInOrder() async throws {
    let stage = try await PhotoStage(responsive: true, gated: true)
    for sequence in UInt64(1)...4 { stage.capture(sequence) }
    let captures = try (UInt64(1)...4).map {
      try stage.output.capture(PhotoStage.request("\($0)", .sequence($0, streamID: 1), arrival: 4))
    }
    // Responsive capture allows three captures in flight, so the fourth one has not begun.
    try await stage.encoder.begun.wait(count: 3)
    #expect(Set(stage.encoder.begun.all) == [1, 2, 3])
    for _ in captures { stage.encoder.pass() }
    for capture in captures { _ = try await capture.photo() }
    var order: [String] = []
    for position in 0..<20 as Range<UInt64> {
      let event = try await stage.output.events.entry(after: position).payload
      if case .didFinishProcessingPhoto = event.kind { order.append(event.uniqueID) }
    }
    #expect(order == ["1", "2", "3", "4"])
  }

  @Test("H6: without responsive capture, a capture takes its frame after the photo before is finished")
  func withoutOverlapTheNextFrameComesAfterThePhoto() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false, gated: true)
    let (a, b) = (
      try stage.output.capture(PhotoStage.request("a", arrival: 1)),
      try stage.output.capture(PhotoStage.request("b", arrival: 1))
    )
    stage.capture(2)
    try await stage.encoder.begun.wait(count: 1)
    for sequence in UInt64(3)...5 { stage.capture(sequence) }
    stage.encoder.pass()
    #expect(try await a.photo().frame.sequence == 2)
    stage.encoder.pass()
    stage.capture(6)
    let photo = try await b.photo()
    #expect(photo.frame.sequence >= 5)
    #expect(photo.phases.captureBegin >= .epoch + 5 * PhotoStage.period, "b begins after the photo of a")
  }

  @Test("H4: a photo of higher quality is made of more frames of the ring")
  func higherQualityTakesMoreFrames() async throws {
    let stage = try await PhotoStage()
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    for (quality, frames) in [(PhotoQuality.speed, [8]), (.balanced, [6, 7, 8]), (.quality, [4, 5, 6, 7, 8])] {
      let photo = try await stage.output.capture(
        PhotoStage.request("", .sequence(8, streamID: 1), arrival: 9, quality: quality)
      ).photo()
      #expect(stage.processor.made.all.last?.frames == frames.map { UInt8($0) })
      #expect(stage.processor.made.all.last?.reference == 8)
      #expect(photo.fusedFrameCount == frames.count && photo.quality == quality && photo.frame.sequence == 8)
    }
  }

  @Test("E4: photos are made of fewer frames under pressure, and of as many as before when the pressure is over")
  func pressureLimitsTheMergedFrames() async throws {
    let stage = try await PhotoStage()
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    for (limit, frames) in [(nil, [4, 5, 6, 7, 8]), (4, [5, 6, 7, 8]), (2, [7, 8]), (nil, [4, 5, 6, 7, 8])] {
      stage.change { $0.limits = PictureLimits(fusedFrames: limit) }
      let capture = try stage.output.capture(
        PhotoStage.request("", .sequence(8, streamID: 1), arrival: 9, quality: .quality))
      var resolved: Set<Int> = []
      var made: Int?
      for await event in capture.events {
        resolved.insert(event.resolved.fusedFrameCount)
        if case .didFinishProcessingPhoto(.success(let photo)) = event.kind { made = photo.fusedFrameCount }
      }
      #expect(stage.processor.made.all.last?.frames == frames.map { UInt8($0) })
      #expect(made == frames.count && resolved == [frames.count])
    }
  }

  @Test("E4: the expected processing time of a photo comes only from photos of the same number of frames")
  func processingTimesAreKeptByNumberOfFrames() async throws {
    let stage = try await PhotoStage()
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    var isKnown: [Bool] = []
    for limit in [nil, 2, 2, nil] as [Int?] {
      stage.change { $0.limits = PictureLimits(fusedFrames: limit) }
      let capture = try stage.output.capture(PhotoStage.request(arrival: 9, quality: .quality))
      var last: PhotoCaptureEvent?
      for await event in capture.events { last = event }
      isKnown.append(last?.resolved.processingNanoseconds != nil)
    }
    #expect(isKnown == [false, false, true, true])
  }

  @Test("H4: without the ring, a photo is made of its own frame and the frames that follow")
  func withoutTheRingFollowingFramesAreMerged() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1, quality: .balanced))
    for sequence in UInt64(2)...4 { stage.capture(sequence) }
    let photo = try await capture.photo()
    #expect(photo.frame.sequence == 2 && photo.fusedFrameCount == 3)
    #expect(stage.processor.made.all.map(\.frames) == [[2, 3, 4]] && stage.processor.made.all[0].reference == 2)
    #expect(photo.phases.captureEnd == .epoch + 4 * PhotoStage.period)
  }

  @Test("H4: the output refuses a request for more than the highest configured quality")
  func moreThanTheMaximumIsRefused() async throws {
    let stage = try await PhotoStage(maxQuality: .balanced)
    stage.capture(1)
    let error = #expect(throws: CaptureError.self) {
      try stage.output.capture(PhotoStage.request(arrival: 1, quality: .quality))
    }
    #expect(error?.reason == .unsupportedValue && error?.field == "settings.quality_prioritization")
    let unset = try stage.output.capture(PhotoRequest(arrival: .epoch + PhotoStage.period))
    #expect(try await unset.photo().quality == .balanced)
  }

  @Test("the camera gets the memory of merged frames back before the photo is encoded")
  func mergedFramesAreReleasedBeforeEncoding() async throws {
    let stage = try await PhotoStage(gated: true)
    let pool = FramePool(budget: 8 * 4096, kept: 4096)
    for sequence in UInt64(1)...3 { stage.capture(sequence, pool: pool) }
    let capture = try stage.output.capture(PhotoStage.request("", .sequence(3, streamID: 1), quality: .balanced))
    try await stage.encoder.begun.wait(count: 1)
    let frame = try #require(stage.context.history.newest).frame
    #expect(frame.buffer.leavesRoom(for: 6) && !frame.buffer.leavesRoom(for: 7), "only the reference is still lent")
    stage.encoder.pass()
    #expect(try await capture.photo().fusedFrameCount == 3)
  }

  /// For large photos, memory allows fewer photos to be processed than captures to be in flight. Another photo thread
  /// then needs the memory that this thread would keep for its next photo.
  @Test("a photo thread releases its processing memory before it encodes a large photo")
  func aThreadReleasesItsMemoryBeforeEncoding() async throws {
    for (size, isShort) in [(Size(width: 64, height: 36), false), (Size(width: 3840, height: 2160), true)] {
      let stage = try await PhotoStage(responsive: true, gated: true)
      stage.capture(1, layout: .packed(.grey, size)!)
      let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
      try await stage.encoder.begun.wait(count: 1)
      let steps = stage.processor.steps.all
      let made = try #require(steps.firstIndex { !$0.isRest })
      // The other photo threads may release their memory at any time, so only the thread that made the picture counts.
      #expect(steps[made...].contains { $0.isRest && $0.processor == steps[made].processor } == isShort)
      stage.encoder.pass()
      _ = try await capture.photo()
    }
  }

  @Test("J8: fast capture prioritization lowers the quality of the later photos of a burst")
  func laterPhotosOfABurstHaveLowerQuality() async throws {
    for fast in [false, true] {
      let stage = try await PhotoStage(responsive: true, fast: fast)
      stage.capture(1)
      var resolved: [PhotoQuality] = []
      for _ in 1...5 {
        let capture = try stage.output.capture(PhotoStage.request(arrival: 1, quality: .quality))
        for await event in capture.events where event.kind.name == "willBegin" {
          resolved.append(event.resolved.quality)
        }
      }
      #expect(resolved == [.quality, .quality, .quality] + (fast ? [.balanced, .balanced] : [.quality, .quality]))
    }
  }

  @Test("A10: a reconfiguration ends all captures, and the next capture has the new features")
  func aReconfigurationEndsAllCaptures() async throws {
    let stage = try await PhotoStage(responsive: true, gated: true)
    stage.capture(1)
    let captures = try (1...5).map { _ in try stage.output.capture(PhotoStage.request(arrival: 1)) }
    try await stage.encoder.begun.wait(count: 3)
    stage.change { $0.isReconfiguring = true }
    stage.change { $0.photoFeatures = PhotoFeatures(zeroShutterLag: false) }
    for (index, capture) in captures.enumerated() {
      let names = await capture.all().map(\.name)
      #expect(
        names.first == "willBegin"
          && names.suffix(2) == ["no photo: operationInterrupted", "end: operationInterrupted"])
      #expect(names.count == (index < 3 ? 5 : 3))
    }
    for _ in 1...4 { stage.encoder.pass() }
    let next = try stage.output.capture(PhotoStage.request(arrival: 1))
    stage.capture(2)
    #expect(try await !next.photo().selection.zeroShutterLagUsed)
  }

  @Test("F2: a tracked capture counts for readiness until the client stops tracking or the capture ends")
  func trackingChangesReadiness() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.capture(1)
    try stage.output.startTracking(PhotoStage.request("a"), watcher: nil)
    #expect(stage.output.readiness == .notReadyWaitingForProcessing)
    #expect(stage.output.stopTracking("a") == .ready)
    try stage.output.startTracking(PhotoStage.request("a"), watcher: nil)
    let capture = try stage.output.capture(PhotoStage.request("a", arrival: 1))
    #expect(stage.output.readiness == .notReadyWaitingForProcessing)
    stage.encoder.pass()
    _ = try await capture.photo()
    #expect(stage.output.readiness == .ready)
    let error = #expect(throws: CaptureError.self) {
      try stage.output.startTracking(PhotoStage.request("a"), watcher: nil)
    }
    #expect(error?.reason == .settingsIDReused)
  }

  @Test("H11: an error about settings to prepare names the index and the field of the settings")
  func preparedSettingsNameTheWrongField() async throws {
    let stage = try await PhotoStage(maxQuality: .balanced)
    let settings = [PhotoStage.request(), PhotoStage.request(quality: .quality)]
    let error = await #expect(throws: CaptureError.self) { _ = try await stage.output.prepare(for: settings) }
    #expect(error?.field == "settings[1].quality_prioritization")
  }

  @Test("H11: the newest call prepares its settings once the session runs, and empty settings free the memory")
  func preparedSettingsCompleteWhenTheSessionRuns() async throws {
    let stage = try await PhotoStage()
    stage.sessionBecomes(.stopped)
    let settings = [PhotoStage.request()]
    let first = Task { try await stage.output.prepare(for: settings) }
    while stage.output.queue.read({ !$0.prepared.isWaiting }) { await Task.yield() }
    let second = Task { try await stage.output.prepare(for: settings) }
    #expect(try await first.value == false)
    stage.sessionBecomes(.running)
    stage.capture(1)
    #expect(try await second.value == true)
    #expect(stage.store.pool.usage.allocated > 0)
    #expect(try await stage.output.prepare(for: []) == true)
    #expect(stage.store.pool.usage.allocated == 0)
  }

  @Test("J8: a photo for which the ring has too few frames keeps its quality and tells its number of frames")
  func qualityStaysWhenFramesAreMissing() async throws {
    let stage = try await PhotoStage(responsive: true)
    stage.capture(1)
    var resolved: [ResolvedPhotoSettings] = []
    var photo: Photo?
    for await event in try stage.output.capture(PhotoStage.request(arrival: 1, quality: .quality)).events {
      resolved.append(event.resolved)
      if case .didFinishProcessingPhoto(.success(let finished)) = event.kind { photo = finished }
    }
    #expect(resolved.allSatisfy { $0.quality == .quality && $0.fusedFrameCount == 5 })
    #expect(photo?.quality == .quality && photo?.fusedFrameCount == 1)
  }
}
