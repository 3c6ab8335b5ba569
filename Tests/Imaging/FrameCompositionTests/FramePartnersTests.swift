import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import FrameComposition

/// Which frames make a picture, and when it is composed.
@Suite struct FramePartnersTests {
  /// A composition of two cameras at 30 pictures a second, both of which have brought frames 0 to 3: the first at 0,
  /// 100/3, …, the second `phase` milliseconds later. The pictures up to that of frame 3 are composed.
  private func running(phase: Double = 5, rate: UInt32 = 30) -> FramePartners {
    var partners = FramePartners(layers: [.whole("a"), .whole("b")], rate: Rational(rate, 1))
    for number in 0..<4 {
      let captured = Double(number) * 100 / 3
      partners.receive(frame("a", UInt64(number), at: captured))
      if captured + phase >= 0 { partners.receive(frame("b", UInt64(number), at: captured + phase)) }
      _ = partners.take(at: captured + max(phase, 0))
    }
    return partners
  }

  @Test func theFirstPictureWaitsForNobody() throws {
    var partners = FramePartners(layers: [.whole("a"), .whole("b")], rate: Rational(30, 1))
    #expect(partners.instant(at: 0) == nil && partners.take(at: 0).isEmpty)
    partners.receive(frame("a", 0, at: 10))
    let first = try #require(partners.take(at: 10).first)
    #expect(first.sequences == [0, nil] && first.isStale == [false, true])
    #expect(partners.take(at: 500).isEmpty)
  }

  /// The frame of the second camera that is captured 5 ms after the first one's is nearer than the one before, so the
  /// picture waits for it.
  @Test func aPictureWaitsForANearerFrame() {
    var partners = running()
    partners.receive(frame("a", 4, at: 133.3))
    #expect(partners.take(at: 133.4).isEmpty)
    partners.receive(frame("b", 4, at: 138.3))
    #expect(partners.take(at: 138.3).map(\.sequences) == [[4, 4]])
  }

  /// The next frame of the second camera would be further away than the frame that is there.
  @Test func aPictureDoesNotWaitWhenNoNearerFrameCanCome() {
    var partners = running(phase: -5)
    partners.receive(frame("b", 4, at: 128.3))
    partners.receive(frame("a", 4, at: 133.3))
    let taken = partners.take(at: 133.3)
    #expect(taken.map(\.sequences) == [[4, 4]] && taken.map(\.isStale) == [[false, false]])
  }

  /// The second camera's pictures take long to arrive, and the picture waits for that time.
  @Test func aSlowConnectionIsWaitedFor() {
    var partners = FramePartners(layers: [.whole("a"), .whole("b")], rate: Rational(30, 1))
    var taken: [FramePartners.Choice] = []
    // Both capture at the same time, and the frames of the second camera come 40 ms later.
    for number in 0..<12 {
      let captured = Double(number) * 100 / 3
      if number > 0 {
        partners.receive(frame("b", UInt64(number - 1), at: captured - 100.0 / 3), after: 40)
        taken += partners.take(at: captured + 6.7)
      }
      partners.receive(frame("a", UInt64(number), at: captured), after: 8)
      taken += partners.take(at: captured + 8)
    }
    #expect(taken.dropFirst(4).allSatisfy { $0.sequences[0] == $0.sequences[1] && $0.isStale == [false, false] })
    #expect(taken.count >= 10)
  }

  /// A lost frame of the second camera delays the picture by a bounded time only, and the layer stays as it was.
  @Test func aLostFrameLeavesTheLayerAsItWas() throws {
    var partners = running()
    partners.receive(frame("a", 4, at: 133.3))
    let instant = try #require(partners.instant(at: .init(nanoseconds: 133_300_000)))
    #expect(instant.nanoseconds < 133_300_000 + 34 * millisecond)
    let taken = partners.take(at: 167)
    #expect(taken.map(\.sequences) == [[4, 3]] && taken.map(\.isStale) == [[false, true]])
    // The camera goes on, and so does the composition.
    partners.receive(frame("a", 5, at: 166.7))
    partners.receive(frame("b", 5, at: 171.7))
    let next = partners.take(at: 171.7)
    #expect(next.map(\.sequences) == [[5, 5]] && next.map(\.isStale) == [[false, false]])
  }

  /// A camera that was unplugged is shown as it was, and no picture waits for it.
  @Test func aCameraThatIsGoneIsNotWaitedFor() {
    var partners = running()
    for number in 4..<20 {
      let captured = Double(number) * 100 / 3
      partners.receive(frame("a", UInt64(number), at: captured))
      let taken = partners.take(at: captured)
      if number >= 8 {
        #expect(taken.map(\.sequences) == [[UInt64(number), 3]] && taken.map(\.isStale) == [[false, true]])
      }
    }
    #expect(partners.held(of: "b") == 1)
    // It comes back with another stream.
    for number in 20..<30 {
      let captured = Double(number) * 100 / 3
      partners.receive(frame("b", UInt64(number - 20), at: captured - 1, stream: 2))
      partners.receive(frame("a", UInt64(number), at: captured))
      let taken = partners.take(at: captured)
      #expect(taken.map(\.sequences) == [[UInt64(number), UInt64(number - 20)]])
      #expect(taken.map(\.isStale) == [[false, false]])
    }
  }

  /// With a camera of 15 frames a second beside one of 30, each of its frames is shown twice, always in time.
  @Test func aSlowerCameraIsShownTwice() {
    var partners = FramePartners(layers: [.whole("a"), .whole("b")], rate: Rational(30, 1))
    var taken: [FramePartners.Choice] = []
    for number in 0..<30 {
      let captured = Double(number) * 100 / 3
      partners.receive(frame("a", UInt64(number), at: captured))
      taken += partners.take(at: captured)
      if number % 2 == 0 { partners.receive(frame("b", UInt64(number / 2), at: captured + 3)) }
      taken += partners.take(at: captured + 3)
    }
    let settled = taken.filter { $0.clock.frame.sequence >= 6 }
    #expect(settled.count == 24 && settled.allSatisfy { $0.isStale == [false, false] })
    #expect(settled.allSatisfy { $0.sequences[1] == $0.clock.frame.sequence / 2 })
  }

  @Test func aFasterCameraIsShownInTime() {
    var partners = FramePartners(layers: [.whole("a"), .whole("b")], rate: Rational(30, 1))
    var taken: [FramePartners.Choice] = []
    for number in 0..<60 {
      let captured = Double(number) * 100 / 6
      partners.receive(frame("b", UInt64(number), at: captured))
      if number % 2 == 0 { partners.receive(frame("a", UInt64(number / 2), at: captured + 1)) }
      taken += partners.take(at: captured + 1)
    }
    #expect(taken.count == 30)
    #expect(taken.allSatisfy { $0.sequences[1] == 2 * $0.clock.frame.sequence && $0.isStale == [false, false] })
  }

  /// The composition has a picture for every other frame of the clock, and reports what is lost in between.
  @Test func aLowerRateLeavesFramesOut() {
    var partners = FramePartners(layers: [.whole("a")], rate: Rational(15, 1), isSlower: true)
    var taken: [FramePartners.Choice] = []
    for number in 0..<20 {
      let missing = DropCounts(discontinuity: number == 7 ? 2 : 0)
      partners.receive(frame("a", UInt64(number), at: Double(number) * 100 / 3, missing: missing))
      taken += partners.take(at: Double(number) * 100 / 3)
    }
    #expect(taken.map(\.clock.frame.sequence) == (0..<10).map { 2 * $0 })
    #expect(taken.map(\.missing.total) == [0, 0, 0, 0, 2, 0, 0, 0, 0, 0])
  }

  /// Each frame of a camera that is not faster than the composition makes a picture, also when its times are uneven.
  /// That holds, too, when its driver gives no rate or a wrong one, so that the camera counts as faster. One frame is
  /// lost, and the one after it comes so late that the next one follows at once.
  @Test(arguments: [false, true])
  func unevenTimesLeaveNoFrameOut(isSlower: Bool) {
    let times = [0, 100, 200, 480, 500, 600, 700.0]
    var partners = FramePartners(layers: [.whole("a")], rate: Rational(10, 1), isSlower: isSlower)
    let taken = times.enumerated().flatMap { number, time in
      partners.receive(frame("a", UInt64(number), at: time))
      return partners.take(at: time).map(\.clock.frame.sequence)
    }
    #expect(taken == Array(0..<7))
  }

  /// A camera without a known rate that is 0.2 % fast loses no frame, in a minute.
  @Test func aClockThatIsALittleFastLosesNoFrame() {
    var partners = FramePartners(layers: [.whole("a")], rate: Rational(30, 1), isSlower: true)
    let taken = (0..<1800).reduce(0) { count, number in
      let time = Double(number) * 1000 / 30.06
      partners.receive(frame("a", UInt64(number), at: time))
      return count + partners.take(at: time).count
    }
    #expect(taken == 1800)
  }

  /// When another camera becomes the clock, or takes another rate, pictures are left out exactly if the camera is too
  /// fast. There are as many pictures then as the layout wants, whatever the rate was before.
  @Test func thePaceIsThatOfTheNewClock() {
    let layout = CompositionLayout(
      size: Size(width: 64, height: 36), frameRate: Rational(30, 1), layers: [.whole("a")])
    var partners = FramePartners(layers: layout.layers, pace: layout.pace(with: Rational(15, 1)))
    var time = 0.0
    func count(of input: String, each period: Double) -> Int {
      (0..<20).reduce(0) { count, number in
        time += period
        partners.receive(frame(input, UInt64(number), at: time))
        return count + partners.take(at: time).count
      }
    }
    #expect(count(of: "a", each: 200.0 / 3) == 20)
    partners.setLayers([.whole("b")], pace: layout.pace(with: Rational(60, 1)))
    #expect(count(of: "b", each: 50.0 / 3) == 10)
    partners.setLayers([.whole("b")], pace: layout.pace(with: Rational(30, 1)))
    #expect(count(of: "b", each: 100.0 / 3) == 20)
  }

  /// A picture waits for three periods of the present pace, and not of the one before.
  @Test func thePatienceIsThatOfTheNewClock() {
    var partners = FramePartners(layers: [.whole("a"), .whole("b")], rate: Rational(15, 1))
    for number in 0..<6 { partners.receive(frame("b", UInt64(number), at: Double(number) * 100 / 3), after: 150) }
    partners.setLayers([.whole("a"), .whole("b")], pace: .every)
    partners.receive(frame("a", 9, at: 300), after: 20)
    let patience: UInt64 = 3 * 33_333_333
    #expect(
      partners.instant(at: .init(nanoseconds: 320_000_000)) == .init(nanoseconds: 320_000_000 + patience))
  }

  /// A composition cannot be faster than its clock.
  @Test func aHigherRateTakesEveryFrame() {
    var partners = FramePartners(layers: [.whole("a")], rate: Rational(60, 1))
    var count = 0
    for number in 0..<20 {
      partners.receive(frame("a", UInt64(number), at: Double(number) * 100 / 3))
      count += partners.take(at: Double(number) * 100 / 3).count
    }
    #expect(count == 20)
  }

  @Test func aCallerThatIsTooSlowLosesTheOldestPictures() {
    var partners = FramePartners(layers: [.whole("a")], rate: Rational(30, 1))
    for number in 0..<10 { partners.receive(frame("a", UInt64(number), at: Double(number) * 100 / 3)) }
    #expect(partners.held(of: "a") == FramePartners.heldFrames)
    let taken = partners.take(at: 400)
    #expect(taken.map(\.clock.frame.sequence) == [6, 7, 8, 9] && taken.map(\.missing.late) == [6, 0, 0, 0])
  }

  /// A picture that is being composed is not lost while others are.
  @Test func aPictureThatWasBegunIsFinished() throws {
    var partners = FramePartners(layers: [.whole("a")], rate: Rational(30, 1))
    partners.receive(frame("a", 0, at: 0))
    let begun = try partners.beginDue()
    for number in 1..<10 { partners.receive(frame("a", UInt64(number), at: Double(number) * 100 / 3)) }
    #expect(partners.held(of: "a") == FramePartners.heldFrames)
    partners.composed(begun)
    let taken = partners.take(at: 400)
    #expect(taken.map(\.clock.frame.sequence) == [7, 8, 9] && taken.map(\.missing.late) == [6, 0, 0])
  }

  /// The frames of a stream that is over make no picture after the next stream has begun.
  @Test func anotherStreamOfTheClockBeginsAnew() {
    var partners = running()
    partners.receive(frame("a", 4, at: 133.3))
    partners.receive(frame("a", 0, at: 900, stream: 2))
    let taken = partners.take(at: 1000)
    #expect(taken.map(\.stream) == [.init(input: "a", streamID: 2)])
    #expect(taken.map(\.missing.discontinuity) == [1])
  }

  /// Moving the layers keeps the clock, and pictures that are due have the new places.
  @Test func otherPlacesKeepTheClock() {
    var partners = running()
    partners.receive(frame("a", 4, at: 133.3))
    let layers = [CompositionLayer.whole("a"), .whole("b"), .whole("b")]
    partners.setLayers(layers, pace: .every)
    partners.receive(frame("b", 4, at: 138.3))
    let taken = partners.take(at: 138.3)
    #expect(taken.map(\.layers) == [layers] && taken.map(\.sequences) == [[4, 4, 4]])
  }

  /// A picture has the revision of its layers, also when the plan changes while it is being composed.
  @Test func aPictureHasTheRevisionOfItsLayers() throws {
    var partners = running()
    partners.receive(frame("a", 4, at: 133.3))
    partners.receive(frame("a", 5, at: 166.7))
    let begun = try partners.beginDue()
    partners.setLayers([.whole("a")], pace: .every, revision: 2)
    partners.composed(begun)
    let next = try partners.beginDue()
    #expect([begun, next].map(\.revision) == [1, 2] && [begun, next].map(\.layers.count) == [2, 1])
  }

  /// After another input became the first layer, its frames are the clock. No picture is earlier than the one before.
  @Test func anotherFirstLayerIsTheClock() throws {
    var partners = running()
    partners.setLayers([.whole("b"), .whole("a")], pace: .every)
    partners.receive(frame("a", 4, at: 133.3))
    partners.receive(frame("b", 4, at: 138.3))
    let next = try #require(partners.take(at: 138.3).first)
    #expect(next.stream == .init(input: "b", streamID: 1) && next.sequences == [4, 4])
  }

  @Test func aClockThatIsBehindBeginsLater() {
    var partners = running()
    partners.receive(frame("a", 4, at: 133.3))
    _ = partners.take(at: 250)
    partners.setLayers([.whole("c")], pace: CompositionPace(rate: Rational(30, 1), isSlower: true))
    for number in 0..<4 { partners.receive(frame("c", UInt64(number), at: 100 + Double(number) * 20), after: 200) }
    #expect(partners.take(at: 500).map(\.clock.frame.sequence) == [2])
  }

  /// A damaged frame of the second camera does not stop the first one.
  @Test func aRejectedFrameIsReplaced() throws {
    var partners = running()
    let damaged = frame("b", 4, at: 138.3)
    partners.receive(frame("a", 4, at: 133.3))
    partners.receive(damaged)
    let first = try partners.beginDue()
    #expect(first.frames[1] === damaged)
    partners.reject(damaged, DropCounts(damaged: 1))
    let second = try #require(partners.take(at: 138.3).first)
    #expect(second.sequences == [4, 3] && second.isStale == [false, true] && second.missing.total == 0)
  }

  @Test func aRejectedClockIsALostPicture() throws {
    var partners = running()
    let damaged = frame("a", 4, at: 133.3)
    partners.receive(damaged)
    #expect(try partners.beginDue().clock === damaged)
    partners.reject(damaged, DropCounts(damaged: 1))
    #expect(partners.instant(at: 166_000_000) == nil)
    partners.receive(frame("a", 5, at: 166.7))
    #expect(partners.take(at: 300).map(\.missing.damaged) == [1])
  }

  @Test func framesOfOthersHaveNoEffect() {
    var partners = running()
    partners.receive(frame("c", 0, at: 200))
    #expect(partners.held(of: "c") == 0)
  }
}
