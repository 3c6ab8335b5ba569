import Testing

@testable import VideoCoding

/// The times that an encoder's pictures get back.
@Suite struct PendingTimesTests {
  /// Nanoseconds become the nearest microsecond, also after years, and come back as they were.
  @Test func timesComeBackAsTheyWere() {
    var times = PendingTimes()
    let given: [UInt64] = [0, 499, 500, 33_366_667, 1_000_000_000, 86_400_000_005_600, 200_000_000_000_005_600]
    let ticks = given.map { times.add($0, lasting: $0 + 1) }
    #expect(ticks == [0, 1, 2, 33_367, 1_000_000, 86_400_000_006, 200_000_000_000_006])
    for (tick, time) in zip(ticks, given) {
      let taken = times.take(tick)
      #expect(taken?.time == time && taken?.duration == time + 1)
    }
    #expect(times.take(33_367) == nil)
  }

  /// Pictures that are nearer to each other than a tick have different ticks, and the next one has its own again.
  @Test func noTwoPicturesShareATick() {
    var times = PendingTimes()
    #expect([100, 101, 102, 90_000].map { times.add($0, lasting: 1) } == [0, 1, 2, 90])
  }

  /// A picture that an encoder dropped does not stay.
  @Test func aDroppedPictureIsForgotten() {
    var times = PendingTimes()
    let ticks = [1, 2, 3].map { times.add($0 * 1_000_000_000, lasting: 1) }
    #expect(times.take(ticks[1])?.time == 2_000_000_000)
    #expect(times.take(ticks[0]) == nil)
    #expect(times.take(ticks[2] + 1) == nil)
    #expect(times.take(ticks[2])?.time == 3_000_000_000)
  }
}
