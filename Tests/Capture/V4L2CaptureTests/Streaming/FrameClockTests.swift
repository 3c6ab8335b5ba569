import CV4L2
import CaptureCore
import SystemClocks
import Testing

@testable import V4L2Capture

/// The time of a frame: the driver's time stamp where the stamp can be true, else the instant of the frame's arrival.
@Suite struct FrameClockTests {
  private let second: UInt64 = 1_000_000_000
  private let monotonic = UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
  private var start: MonotonicInstant { .epoch + 100 * second }

  /// The flags of the buffer say whether the stamp is the end of the frame or the start of the exposure.
  @Test func aMonotonicStampIsTheTime() {
    var clock = FrameClock(start: start)
    let stamp = start + second
    #expect(clock.time(stamp: stamp.nanoseconds, flags: monotonic, now: stamp + 5) == (stamp, .endOfFrame))
    let flags = monotonic | UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
    #expect(clock.time(stamp: stamp.nanoseconds + 9, flags: flags, now: stamp + 20) == (stamp + 9, .startOfExposure))
  }

  /// A time stamp of an unknown clock, or one that the driver copied, says nothing about CLOCK_MONOTONIC. The arrival
  /// is told in whole microseconds, as drivers stamp frames.
  @Test(arguments: [V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, V4L2_BUF_FLAG_TIMESTAMP_COPY])
  func otherClocksGiveTheArrival(_ flags: Int32) {
    var clock = FrameClock(start: start)
    let time = clock.time(stamp: start.nanoseconds + 1, flags: UInt32(flags), now: start + 7999)
    #expect(time == (start + 7000, .arrival))
  }

  /// A missing time stamp, one from before the start of the stream, and one from the future are replaced by the
  /// arrival.
  @Test func impossibleStampsGiveTheArrival() {
    var clock = FrameClock(start: start)
    let now = start + 10 * second
    #expect(clock.time(stamp: nil, flags: monotonic, now: now) == (now, .arrival))
    let early = clock.time(stamp: start.nanoseconds - 2 * second, flags: monotonic, now: now + 1000)
    #expect(early == (now + 1000, .arrival))
    let late = clock.time(stamp: now.nanoseconds + 2 * second, flags: monotonic, now: now + 2000)
    #expect(late == (now + 2000, .arrival))
  }

  /// The driver's clock may wrap. The frame then has the time of its arrival.
  @Test func aTimeStampThatGoesBackIsReplacedByTheArrival() {
    var clock = FrameClock(start: start)
    _ = clock.time(stamp: start.nanoseconds + 2 * second, flags: monotonic, now: start + 2 * second)
    let (time, source) = clock.time(stamp: start.nanoseconds + second, flags: monotonic, now: start + 3 * second)
    #expect((time, source) == (start + 3 * second, .arrival))
  }

  /// A time stamp may be a little ahead of the present. The next frame is later than that stamp all the same.
  @Test func anArrivalIsLaterThanAnEarlierStampAheadOfNow() {
    var clock = FrameClock(start: start)
    let ahead = start + second / 2
    _ = clock.time(stamp: ahead.nanoseconds, flags: monotonic, now: start)
    #expect(clock.time(stamp: nil, flags: monotonic, now: start + 1) == (ahead + 1000, .arrival))
    #expect(clock.time(stamp: nil, flags: monotonic, now: start + 1) == (ahead + 2000, .arrival))
  }

  /// A stamp that stands still, for good or for every other frame, is as untrue as one that goes back.
  @Test func aTimeStampThatStandsStillIsReplacedByTheArrival() {
    var clock = FrameClock(start: start)
    let stamp = start + second
    #expect(clock.time(stamp: stamp.nanoseconds, flags: monotonic, now: stamp + 9000) == (stamp, .endOfFrame))
    for number in 1...3 {
      let next = stamp + UInt64(number) * second
      #expect(clock.time(stamp: stamp.nanoseconds, flags: monotonic, now: next + 9000) == (next, .arrival))
    }
    let next = stamp + 4 * second
    #expect(clock.time(stamp: next.nanoseconds, flags: monotonic, now: next) == (next, .endOfFrame))
  }

  /// A machine that becomes busy dequeues later than before. The clock finds back to the driver's stamps all the same.
  @Test func anUntrueStampOnABusyMachineIsOverSoon() {
    var clock = FrameClock(start: start)
    let period: UInt64 = 16_000_000
    let times = (1...40).map { number in
      let stamp = start + UInt64(number) * period
      let told = number == 6 ? stamp - period : stamp
      return clock.time(stamp: told.nanoseconds, flags: monotonic, now: stamp + (number < 6 ? 1 : 3) * period)
    }
    #expect(times.filter { $0.source == .arrival }.count <= 4)
    #expect(times.dropFirst(10).allSatisfy { $0.source == .endOfFrame })
    #expect(zip(times, times.dropFirst()).allSatisfy { $0.monotonic < $1.monotonic })
  }

  /// Frames may be dequeued later than a period after their stamps. One untrue stamp makes no later one untrue.
  @Test func oneUntrueStampIsReplacedAlone() {
    var clock = FrameClock(start: start)
    let (period, latency): (UInt64, UInt64) = (16_000_000, 40_000_000)
    let sources = (1...20).map { number in
      let stamp = start + UInt64(number) * period
      let told = number == 5 ? stamp - period : stamp
      return clock.time(stamp: told.nanoseconds, flags: monotonic, now: stamp + latency)
    }
    #expect(sources.filter { $0.source == .arrival }.count == 1)
    #expect(sources.map(\.monotonic) == (1...20).map { start + UInt64($0) * period })
  }
}
