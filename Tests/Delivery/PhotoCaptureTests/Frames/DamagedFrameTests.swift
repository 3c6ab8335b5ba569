import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import SystemClocks
import Testing

@testable import PhotoCapture

/// Photos whose frame turns out to be damaged when a thread decodes it. Frame n is captured at n periods. The time
/// limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct DamagedFrameTests {
  /// A request for the frame with this number.
  private static func named(_ sequence: UInt64, arrival: Double, quality: PhotoQuality = .speed) -> PhotoRequest {
    PhotoStage.request("", .sequence(sequence, streamID: 1), arrival: arrival, quality: quality)
  }

  @Test("H1: a photo of now shows the next intact frame") func nowTakesTheNext() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.encoder.damage(3, 4)
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    let capture = try stage.output.capture(PhotoStage.request("n", arrival: 3.25))
    // Frame 4 is in the ring when the output finds frame 3 damaged. For frame 5, the capture has to wait.
    stage.capture(4)
    for _ in 0..<2 { stage.encoder.pass() }
    await stage.waitsForAFrame()
    stage.capture(5)
    stage.encoder.pass()
    let events = await capture.all()
    #expect(events.map(\.name) == PhotoOutputTests.order, "each event comes once")
    guard case .didCapturePhoto(3, 1, "camera") = events[2],
      case .didFinishProcessingPhoto(.success(let photo)) = events[3]
    else { return #expect(Bool(false), "the third event must be about frame 3, and the fourth must have the photo") }
    #expect(photo.frame.sequence == 5 && photo.selection.match == .damaged)
    #expect(photo.selection.shutterLagNanoseconds == Int64(PhotoStage.period * 7 / 4))
    #expect(stage.encoder.begun.all == [3, 4, 5])
  }

  @Test("H1: the nearest intact neighbour replaces a frame that the request names")
  func aNeighbourReplacesANamedFrame() async throws {
    let stage = try await PhotoStage()
    stage.encoder.damage(5, 4, 6)
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    let photo = try await stage.output.capture(Self.named(5, arrival: 9)).photo()
    #expect(photo.frame.sequence == 3 && photo.selection.match == .damaged && photo.selection.zeroShutterLagUsed)
    #expect(photo.selection.shutterLagNanoseconds == -Int64(2 * PhotoStage.period))
    #expect(stage.encoder.begun.all == [5, 4, 6, 3])
    // The first capture has marked the damaged frames, so the next one does not try them again.
    #expect(try await stage.output.capture(Self.named(4, arrival: 9)).photo().frame.sequence == 3)
    #expect(stage.encoder.begun.all == [5, 4, 6, 3, 3])
    #expect(try await stage.output.capture(Self.named(7, arrival: 9)).photo().selection.match == .exact)
  }

  @Test("H1: the nearest intact neighbour replaces the frame of a time that the request names")
  func aNeighbourReplacesTheFrameOfATime() async throws {
    let stage = try await PhotoStage()
    stage.encoder.damage(5)
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    let request = PhotoStage.request("", .monotonic(.epoch + 5 * PhotoStage.period + 7), arrival: 9)
    let photo = try await stage.output.capture(request).photo()
    #expect(photo.frame.sequence == 4 && photo.selection.match == .damaged)
    #expect(photo.selection.shutterLagNanoseconds == -Int64(PhotoStage.period) - 7)
  }

  @Test("H1: a number whose frame the camera damaged is reported as damaged")
  func aMissingDamagedFrameIsReported() async throws {
    let stage = try await PhotoStage()
    stage.capture(5)
    stage.capture(8, missing: DropCounts(damaged: 2))
    stage.capture(11, missing: DropCounts(discontinuity: 1, damaged: 1))
    for (named, taken, match) in [
      (UInt64(6), UInt64(5), FrameMatch.damaged), (7, 8, .damaged), (8, 8, .exact), (9, 8, .nearest), (4, 5, .nearest),
      (12, 11, .nearest), (.max, 11, .nearest),
    ] {
      let photo = try await stage.output.capture(Self.named(named, arrival: 11)).photo()
      #expect((photo.frame.sequence, photo.selection.match) == (taken, match), "\(named)")
    }
  }

  /// Frames 6 and 7 were damaged. Frames 9 and 10 are missing, and it is unknown which of the two was damaged.
  @Test("H1: a time at which a damaged frame was captured is reported as damaged", arguments: [false, true])
  func aTimeOfAMissingDamagedFrameIsReported(byWallClock: Bool) async throws {
    let stage = try await PhotoStage()
    stage.capture(5)
    stage.capture(8, missing: DropCounts(damaged: 2))
    let newest = stage.capture(11, missing: DropCounts(discontinuity: 1, damaged: 1))
    let offset = newest.time.wall.nanoseconds - newest.time.monotonic.nanoseconds
    for (periods, taken, match) in [
      (4.6, UInt64(5), FrameMatch.exact), (5.4, 5, .exact), (5.6, 5, .damaged), (6.4, 5, .damaged),
      (6.6, 8, .damaged), (7.4, 8, .damaged), (7.6, 8, .exact), (8.4, 8, .exact), (9, 8, .exact), (11.4, 11, .exact),
      (20, 11, .nearest),
    ] {
      let time = UInt64(periods * Double(PhotoStage.period))
      let moment = byWallClock ? CaptureMoment.wallTime(.epoch + time + offset) : .monotonic(.epoch + time)
      let request = PhotoStage.request("", moment, arrival: 11)
      let photo = try await stage.output.capture(request).photo()
      #expect((photo.frame.sequence, photo.selection.match) == (taken, match), "\(periods)")
    }
  }

  @Test("H1: without an intact neighbour, the capture fails and names the last damaged frame")
  func withoutANeighbourTheCaptureFails() async throws {
    let stage = try await PhotoStage()
    stage.encoder.damage(1, 2, 3)
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    let events = await (try stage.output.capture(Self.named(2, arrival: 3))).all()
    #expect(events.last?.name == "end: frameDamaged")
    guard case .didFinishCapture(let error?) = events.last else { return }
    #expect(error.metadata == ["sequence": "3", "stream_id": "1"])
  }

  @Test(
    "H1: a frame up to sixteen numbers away can replace a named one, a farther frame cannot", arguments: [UInt64(4), 3])
  func farNeighbours(kept: UInt64) async throws {
    let stage = try await PhotoStage()
    stage.encoder.damage(20)
    stage.capture(kept)
    stage.capture(20, missing: DropCounts(discontinuity: 19 - kept))
    let events = await (try stage.output.capture(Self.named(20, arrival: 20))).all()
    if kept == 4 {
      guard case .didFinishProcessingPhoto(.success(let photo)) = events[3] else {
        return #expect(Bool(false), "the fourth event must have the photo: \(events.map(\.name))")
      }
      #expect(photo.frame.sequence == 4 && photo.selection.match == .damaged)
    } else {
      #expect(events.last?.name == "end: frameDamaged")
    }
  }

  @Test("H1: the times of a photo are those of the frame that it shows") func itsTimesAreTheSubstitutes() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.encoder.damage(5)
    for sequence in UInt64(1)...9 { stage.capture(sequence) }
    let capture = try stage.output.capture(Self.named(5, arrival: 9))
    try await stage.encoder.begun.wait(count: 1)
    // The output finds the damage a period after it held the frame.
    stage.capture(10)
    for _ in 0..<2 { stage.encoder.pass() }
    let photo = try await capture.photo()
    #expect(photo.frame.sequence == 4)
    #expect(photo.phases.holdNanoseconds == PhotoStage.period)
    #expect(photo.phases.captureEnd == .epoch + 10 * PhotoStage.period)
    #expect(photo.phases.processBegin == .epoch + 10 * PhotoStage.period)
  }

  @Test("H1: a substitute is no frame of a shot, and no frame of another size") func substitutesAreOfTheSameKind()
    throws
  {
    let context = FakeOutputContext()
    let small = try #require(FrameLayout.packed(.nv12, Size(width: 32, height: 18)))
    for sequence in UInt64(1)...9 {
      let time = MonotonicInstant(nanoseconds: sequence * PhotoStage.period)
      context.keep(
        sequence == 4 ? .fake(sequence: sequence, at: time, layout: small)! : .fake(sequence: sequence, at: time)!)
    }
    let request = Self.named(5, arrival: 9)
    let damaged = try #require(FrameChoice.choose(for: request, from: context.history))
    var shadow = ShotShadow()
    func substitute() -> UInt64? {
      FrameChoice.substitute(for: damaged, request, from: context.history, notFrom: shadow)?.captured.frame.sequence
    }
    #expect(substitute() == 6)
    shadow.set(from: .epoch + 6 * PhotoStage.period, to: .epoch + 6 * PhotoStage.period)
    #expect(substitute() == 3)
  }

  @Test("H4: a substitute is merged neither with itself nor with frames that turned out to be damaged")
  func mergedFramesAreIntact() throws {
    let context = FakeOutputContext()
    for sequence in UInt64(1)...5 {
      context.keep(.fake(sequence: sequence, at: .epoch + sequence * PhotoStage.period)!)
    }
    let request = Self.named(5, arrival: 5)
    var damaged = try #require(FrameChoice.choose(for: request, from: context.history))
    FrameChoice.addNeighbours(to: &damaged, upTo: 4, from: context.history)
    #expect(damaged.neighbours.map(\.frame.sequence) == [4, 3, 2])
    damaged.neighbours[1].frame.buffer.markDamaged()
    let found = try #require(
      FrameChoice.substitute(for: damaged, request, from: context.history, notFrom: ShotShadow()))
    #expect(found.captured.frame.sequence == 4)
    #expect(found.neighbours.map(\.frame.sequence) == [2])
  }

  @Test("J3: a substitute tells no readings of an earlier shot") func readingsOfASubstitute() async throws {
    let stage = try await PhotoStage.forShots()
    try await stage.shoot(end: 7, change: PhotoStage.byHand)
    stage.encoder.damage(14)
    // Only the readings of frame 13 may be from less than 250 ms after the end of the shot.
    for sequence in UInt64(13)...14 { stage.capture(sequence, sensor: SensorReadings(gain: 5)) }
    let photo = try await stage.output.capture(Self.named(14, arrival: 14)).photo()
    #expect(photo.frame.sequence == 13)
    #expect(photo.sensor.gain == nil)
  }

  @Test("H1: a capture fails when the camera brings only damaged frames") func replacementsAreBounded() async throws {
    let stage = try await PhotoStage()
    let all = UInt8(FrameChoice.triedFrames) + 8
    for value in 1...all { stage.encoder.damage(value) }
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    for sequence in 2...UInt64(all) { stage.capture(sequence) }
    #expect(await capture.all().last?.name == "end: frameDamaged")
    #expect(stage.encoder.begun.count == FrameChoice.triedFrames + 1)
  }

  @Test("H1: while a photo is made again of another frame, it counts as being processed")
  func itCountsAsProcessed() async throws {
    let stage = try await PhotoStage(responsive: true, gatesProcessor: true)
    stage.encoder.damage(2)
    for sequence in UInt64(1)...2 { stage.capture(sequence) }
    let capture = try stage.output.capture(Self.named(2, arrival: 2))
    stage.processor.pass()
    try await stage.processor.made.wait(count: 2)
    #expect(stage.processor.made.all.map(\.reference) == [2, 1])
    #expect(stage.output.readiness == .notReadyMomentarily)
    // The capture ends now, but its place becomes free only when the thread is done with it.
    stage.change { $0.isReconfiguring = true }
    #expect(stage.output.readiness == .notReadyMomentarily)
    #expect(await capture.all().last?.name == "end: operationInterrupted")
    stage.processor.pass()
    while stage.output.readiness != .ready { await Task.yield() }
  }

  @Test("H1: a frame that comes just before the capture begins to wait is used") func noFrameIsMissed() async throws {
    let stage = try await PhotoStage(gatesProcessor: true)
    stage.encoder.damage(1)
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    // The output asks for the patience between its first look into the ring and the wait.
    stage.context.onFramePatience { [stage] in stage.capture(2, delivers: false) }
    stage.processor.pass()
    try await stage.processor.made.wait(count: 2)
    // A photo that a thread processes is finished even when the output is closed.
    stage.output.close(CaptureError(.sessionNotFound, "on purpose"))
    stage.processor.pass()
    #expect(try await capture.photo().frame.sequence == 2)
  }

  @Test("H1: waiting for an intact frame ends with the session", arguments: [SessionState.stopping, .interrupted])
  func waitingForAnIntactFrameEndsWithTheSession(state: SessionState) async throws {
    let stage = try await PhotoStage()
    stage.encoder.damage(1)
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    await stage.waitsForAFrame()
    stage.sessionBecomes(state)
    #expect(await capture.all().last?.name == "end: operationInterrupted")
    // The place of the capture is free.
    stage.sessionBecomes(.running)
    stage.capture(2)
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 2)).photo().frame.sequence == 2)
  }

  /// Why no further frame comes.
  enum EndOfFrames: CaseIterable { case stoppingSession, disabledConnection }

  @Test("H1: when no further frame comes, the capture fails because of the damage", arguments: EndOfFrames.allCases)
  func withoutFurtherFramesTheDamageIsReported(end: EndOfFrames) async throws {
    let stage = try await PhotoStage(gated: true)
    stage.encoder.damage(1)
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    try await stage.encoder.begun.wait(count: 1)
    switch end {
    case .stoppingSession: stage.sessionBecomes(.stopping)
    case .disabledConnection: stage.change { $0.connection = Connection(isEnabled: false) }
    }
    stage.encoder.pass()
    #expect(await capture.all().last?.name == "end: frameDamaged")
  }

  @Test("H1: without the ring, the next intact frame replaces a damaged one")
  func withoutTheRingTheNextFrameIsUsed() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false)
    stage.encoder.damage(3)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 2))
    stage.capture(3)
    await stage.waitsForAFrame()
    stage.capture(4)
    let photo = try await capture.photo()
    #expect(photo.frame.sequence == 4 && photo.selection.match == .damaged && !photo.selection.zeroShutterLagUsed)
  }

  @Test("J5: photos keep their order when one of them has to wait for an intact frame") func orderIsKept() async throws
  {
    let stage = try await PhotoStage(responsive: true)
    stage.encoder.damage(3)
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    let now = try stage.output.capture(PhotoStage.request("now", arrival: 3))
    let named = try stage.output.capture(
      PhotoStage.request("named", .sequence(2, streamID: 1), arrival: 3))
    await stage.waitsForAFrame()
    stage.capture(4)
    #expect(try await now.photo().frame.sequence == 4)
    #expect(try await named.photo().frame.sequence == 2)
    let ends = try stage.output.events.entries(after: 0).map(\.payload).filter { $0.kind.name == "end" }
    #expect(ends.map(\.uniqueID) == ["now", "named"])
  }

  @Test("H4: frames known to be damaged are not merged") func neighboursAreIntact() async throws {
    let stage = try await PhotoStage()
    for sequence in UInt64(1)...5 {
      let frame = stage.capture(sequence)
      if sequence == 4 { frame.buffer.markDamaged() }
    }
    let photo = try await stage.output.capture(PhotoStage.request(arrival: 5, quality: .balanced)).photo()
    #expect(photo.frame.sequence == 5)
    #expect(stage.processor.made.all.map(\.frames) == [[2, 3, 5]])
  }
}
