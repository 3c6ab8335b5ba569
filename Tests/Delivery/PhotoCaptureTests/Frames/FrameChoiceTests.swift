import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// Which frame answers a request, with and without the ring.
@Suite struct FrameChoiceTests {
  static let period = PhotoStage.period
  let context = FakeOutputContext()

  /// The ring has the frames 10 to 15, each captured at as many periods.
  init() {
    for sequence in UInt64(10)...15 { context.keep(.fake(sequence: sequence, at: .epoch + sequence * Self.period)!) }
  }

  /// The choice with the ring. The arrival is in periods.
  func choose(_ moment: CaptureMoment?, arrival: Double = 15.5) -> HeldFrame? {
    FrameChoice.choose(for: PhotoStage.request("", moment, arrival: arrival), from: context.history)
  }

  /// The choice without the ring. The arrival is in periods.
  func after(_ moment: CaptureMoment?, arrival: Double = 15.5) -> HeldFrame? {
    let request = PhotoStage.request("", moment, arrival: arrival)
    return FrameChoice.first(since: request.arrival, for: request, from: context.history)
  }

  @Test func aNamedFrameIsFound() throws {
    let frame = try #require(choose(.sequence(12, streamID: 1)))
    #expect(frame.captured.frame.sequence == 12 && frame.selection.match == .exact)
    #expect(frame.selection.zeroShutterLagUsed && frame.selection.shutterLagNanoseconds == 0)
  }

  /// For a frame that the ring does not have, the nearest one is chosen. Its lag is unknown.
  @Test(arguments: [(UInt64(3), UInt64(10)), (99, 15)])
  func outsideTheRingTheNearestIsChosen(named: UInt64, taken: UInt64) throws {
    let frame = try #require(choose(.sequence(named, streamID: nil)))
    #expect(frame.captured.frame.sequence == taken && frame.selection.match == .nearest)
    #expect(frame.selection.shutterLagNanoseconds == nil)
  }

  /// A frame with the same number in another stream is not the frame that the request names.
  @Test func framesOfAnotherStreamAreNotExact() throws {
    let frame = try #require(choose(.sequence(12, streamID: 4)))
    #expect(frame.selection.match == .nearest && frame.selection.shutterLagNanoseconds == nil)
  }

  /// For a time, the nearest frame is an exact match. The lag is the distance between the two.
  @Test func aNamedTimeFindsTheNearestFrame() throws {
    let frame = try #require(choose(.monotonic(.epoch + 12 * Self.period + 5)))
    #expect(
      frame.captured.frame.sequence == 12 && frame.selection.shutterLagNanoseconds == -5
        && frame.selection.match == .exact)
    let wall = try #require(choose(.wallTime(.epoch + 13 * Self.period - 7 + Frame.fakeWallOffset)))
    #expect(wall.captured.frame.sequence == 13 && wall.selection.shutterLagNanoseconds == 7)
  }

  @Test func nowIsTheNewestFrameAtTheArrival() throws {
    // Frame 13 is nearer, but it was captured after the request arrived.
    let frame = try #require(choose(nil, arrival: 12.9))
    #expect(frame.captured.frame.sequence == 12 && frame.selection.zeroShutterLagUsed)
    #expect(frame.selection.shutterLagNanoseconds == -Int64(Double(Self.period) * 0.9))
    #expect(try #require(choose(nil, arrival: 13)).captured.frame.sequence == 13)
    #expect(try #require(choose(nil, arrival: 15.5)).captured.frame.sequence == 15)
  }

  /// The brightnesses of the frames, and the number of the frame that a photo of now shows.
  @Test(
    "A photo of now shows the newest settled frame",
    arguments: [
      ([100, 100, 100, 100], 3), ([100, 101, 100, 101], 3), ([100, 100, 100, 150], 2), ([100, 100, 100, 150, 200], 2),
      ([10, 40, 80, 120], 3), ([10, 40, 80, 80, 80], 4), ([90, 91], 1),
    ])
  func nowIsSettled(brightnesses: [Int], taken: Int) throws {
    let context = FakeOutputContext()
    let layout = try #require(FrameLayout.packed(.grey, Size(width: 16, height: 16), range: .full))
    for (index, brightness) in brightnesses.enumerated() {
      let (sequence, time) = (UInt64(index), MonotonicInstant.epoch + UInt64(index + 1) * Self.period)
      context.keep(.fake(sequence: sequence, at: time, layout: layout, filledWith: UInt8(brightness))!)
    }
    let request = PhotoStage.request(arrival: Double(brightnesses.count) + 0.5)
    #expect(FrameChoice.choose(for: request, from: context.history)?.captured.frame.sequence == UInt64(taken))
    let named = PhotoStage.request("", .sequence(0, streamID: nil), arrival: 9)
    #expect(
      FrameChoice.choose(for: named, from: context.history)?.captured.frame.sequence == 0,
      "settling does not matter for a named frame")
  }

  /// The brightnesses of the frames, the frames that were captured for shots, and the number of the frame that a photo
  /// of now shows.
  @Test(
    "J3: a photo of now shows no frame for which the camera was set by another capture",
    arguments: [
      ([100, 100, 100, 20, 20, 20, 100], [3...5], 6), ([100, 100, 100, 20, 20, 20], [3...5], 2),
      ([100, 100, 100, 20, 20, 20, 60], [3...5], 2), ([100, 20, 20, 20, 99, 20, 20, 20, 60], [1...3, 5...7], 8),
      ([20, 20, 20], [0...2], nil),
    ] as [([Int], [ClosedRange<Int>], UInt64?)])
  func nowIsNoFrameOfAShot(brightnesses: [Int], shots: [ClosedRange<Int>], taken: UInt64?) throws {
    let context = FakeOutputContext()
    let layout = try #require(FrameLayout.packed(.grey, Size(width: 16, height: 16), range: .full))
    for (index, brightness) in brightnesses.enumerated() {
      let (sequence, time) = (UInt64(index), MonotonicInstant.epoch + UInt64(index + 1) * Self.period)
      context.keep(.fake(sequence: sequence, at: time, layout: layout, filledWith: UInt8(brightness))!)
    }
    var shadow = ShotShadow()
    for shot in shots {
      shadow.set(
        from: .epoch + UInt64(shot.lowerBound + 1) * Self.period, to: .epoch + UInt64(shot.upperBound + 1) * Self.period
      )
    }
    let request = PhotoStage.request(arrival: Double(brightnesses.count) + 0.5)
    let found = FrameChoice.choose(for: request, from: context.history, notFrom: shadow)
    #expect(found?.captured.frame.sequence == taken && found?.selection.zeroShutterLagUsed != false)
  }

  /// A shadow contains the instants from its beginning to its end. The oldest of many shadows is forgotten.
  @Test func shadowsEndAndAreBounded() {
    var shadow = ShotShadow()
    #expect(shadow.end == nil && !shadow.contains(5))
    shadow.set(from: 5)
    #expect(shadow.end == .distantFuture && shadow.contains(5) && shadow.contains(1_000_000) && !shadow.contains(4))
    shadow.set(from: 5, to: 7)
    #expect(shadow.end == 7 && shadow.contains(7) && !shadow.contains(8))
    shadow.set(from: 9, to: 3)
    #expect(shadow.end == 9 && shadow.contains(9) && shadow.contains(6), "the earlier span stays")
    for instant in UInt64(10)...24 { shadow.set(from: .epoch + instant, to: .epoch + instant) }
    #expect(!shadow.contains(6) && shadow.contains(9))
  }

  @Test func timesOutsideTheRingFindTheNearestFrame() throws {
    for (time, taken) in [(5 * Self.period, UInt64(10)), (40 * Self.period, 15)] {
      let frame = try #require(choose(.monotonic(.epoch + time), arrival: 40))
      #expect(frame.captured.frame.sequence == taken && frame.selection.match == .nearest)
      let wall = try #require(choose(.wallTime(.epoch + time + Frame.fakeWallOffset), arrival: 40))
      #expect(wall.captured.frame.sequence == taken && wall.selection.match == .nearest)
    }
    // Without the ring, the photo shows a later frame than that of the time.
    #expect(after(.monotonic(.epoch + 12 * Self.period), arrival: 14.5)?.selection.match == .nearest)
  }

  /// The lag from a time that is centuries away is the largest possible one.
  @Test func timesFarAwayDoNotOverflow() throws {
    let never = try #require(choose(.wallTime(.distantFuture)))
    #expect(never.captured.frame.sequence == 15 && never.selection.shutterLagNanoseconds == -Int64.max)
    let first = try #require(choose(.wallTime(0)))
    #expect(first.captured.frame.sequence == 10)
    #expect(first.selection.shutterLagNanoseconds == Int64(10 * Self.period + Frame.fakeWallOffset))
  }

  /// A frame older than 600 ms is not "now" any more.
  @Test func aStalledCameraHasNoNow() throws {
    // The limit of 600 ms is 15 periods.
    #expect(choose(nil, arrival: 30)?.captured.frame.sequence == 15)
    #expect(choose(nil, arrival: 30.1) == nil)
    // A frame that the request names may be of any age.
    #expect(choose(.sequence(11, streamID: nil), arrival: 1000)?.captured.frame.sequence == 11)
  }

  /// With a period of a second, frames up to two periods old are "now".
  @Test func slowCamerasHaveOlderNows() throws {
    let context = FakeOutputContext()
    for sequence in UInt64(1)...2 { context.keep(.fake(sequence: sequence, at: .epoch + sequence * 1_000_000_000)!) }
    func now(_ arrival: MonotonicInstant) -> UInt64? {
      FrameChoice.choose(for: PhotoRequest(arrival: arrival), from: context.history)?.captured.frame.sequence
    }
    #expect(now(3_900_000_000) == 2)
    #expect(now(4_100_000_000) == nil)
  }

  @Test func withoutTheRingTheFirstFrameAfterTheArrivalIsChosen() throws {
    #expect(after(nil, arrival: 15.5) == nil)
    // The handler ran late, so that the frame is there already.
    for arrival in [12.2, 12.9, 13] {
      let frame = try #require(after(nil, arrival: arrival))
      #expect(frame.captured.frame.sequence == 13 && !frame.selection.zeroShutterLagUsed)
      #expect(try #require(frame.selection.shutterLagNanoseconds) >= 0)
    }
  }

  /// Without the ring, a frame from before the arrival is not chosen, even when the request names it. Its lag is known,
  /// because the frame is kept.
  @Test func withoutTheRingNamedFramesAreNotChosen() throws {
    #expect(after(.sequence(12, streamID: nil)) == nil)
    let frame = try #require(after(.sequence(12, streamID: nil), arrival: 14.5))
    #expect(
      frame.captured.frame.sequence == 15 && frame.selection.match == .nearest && !frame.selection.zeroShutterLagUsed)
    #expect(frame.selection.shutterLagNanoseconds == 3 * Int64(Self.period))
  }

  /// A frame that comes while the capture waits is exact when the request names it, or when it asks for now.
  @Test func framesThatComeWhileWaiting() throws {
    let request = PhotoStage.request("", .sequence(16, streamID: nil), arrival: 15.5)
    let captured = context.keep(.fake(sequence: 16, at: .epoch + 16 * Self.period)!)
    #expect(FrameChoice.accept(captured, for: request).selection.match == .exact)
    #expect(
      FrameChoice.accept(captured, for: PhotoStage.request("", .sequence(4, streamID: nil))).selection.match == .nearest
    )
    #expect(
      FrameChoice.accept(captured, for: PhotoStage.request(arrival: 15.5)).selection.shutterLagNanoseconds
        == Int64(Self.period / 2))
  }

  /// A photo from the ring is merged with the frames before its own, up to the number of frames, and not beyond the
  /// ring.
  @Test func neighboursAreTheFramesBefore() throws {
    var frame = try #require(choose(.sequence(13, streamID: nil)))
    FrameChoice.addNeighbours(to: &frame, upTo: 3, from: context.history)
    #expect(frame.neighbours.map(\.frame.sequence) == [12, 11])
    FrameChoice.addNeighbours(to: &frame, upTo: 3, from: context.history)
    #expect(frame.neighbours.count == 2, "the frame already has its neighbours")
    var oldest = try #require(choose(.sequence(11, streamID: nil)))
    FrameChoice.addNeighbours(to: &oldest, upTo: 5, from: context.history)
    #expect(oldest.neighbours.map(\.frame.sequence) == [10])
  }

  @Test func neighboursAreFoundAcrossAGap() throws {
    context.keep(.fake(sequence: 25, at: .epoch + 25 * Self.period)!)
    context.keep(.fake(sequence: 26, at: .epoch + 26 * Self.period)!)
    var frame = try #require(choose(.sequence(26, streamID: nil)))
    FrameChoice.addNeighbours(to: &frame, upTo: 4, from: context.history)
    #expect(frame.neighbours.map(\.frame.sequence) == [25, 15, 14])
  }

  @Test func anEmptyRingHasNoFrame() {
    let empty = FakeOutputContext()
    for moment in [nil, CaptureMoment.sequence(1, streamID: nil), .monotonic(5), .wallTime(5)] {
      let request = PhotoStage.request("", moment)
      #expect(FrameChoice.choose(for: request, from: empty.history) == nil)
      #expect(FrameChoice.first(since: 0, for: request, from: empty.history) == nil)
    }
  }
}
