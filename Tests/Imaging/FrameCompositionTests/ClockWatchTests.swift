import CaptureCore
import SystemClocks
import Testing

@testable import FrameComposition

/// When a composition counts as stalled because its first layer brings no pictures.
@Suite struct ClockWatchTests {
  private static let second: UInt64 = 1_000_000_000
  private let start = MonotonicInstant(nanoseconds: 100 * second)

  private func watch(patience: StallPatience = StallPatience()) -> ClockWatch {
    ClockWatch(start: start, rate: Rational(30, 1), patience: patience)
  }

  /// The session knows why no frames come while it restarts the camera.
  @Test func aPauseOfTheSessionIsNoStall() {
    var watch = watch()
    watch.note(.composed, at: start)
    #expect(watch.deadline == start + Self.second)
    watch.pause(until: .distantFuture)
    #expect(watch.deadline == .distantFuture)
    let end = start + 60 * Self.second
    watch.pause(until: end)
    #expect(watch.deadline == end + 5 * Self.second, "the camera's stream has begun anew")
    watch.note(.composed, at: end + 2 * Self.second)
    #expect(watch.deadline == end + 3 * Self.second)
  }

  /// The thread may look only after the pause has ended.
  @Test func aPauseThatNobodySawCounts() {
    var watch = watch()
    watch.note(.composed, at: start)
    watch.pause(until: start + 900_000_000)
    #expect(watch.deadline == start + 5_900_000_000)
  }

  /// A camera that brings frames works, also when there is no memory for the pictures. One that brings only damaged
  /// frames does not, and the error says so.
  @Test func onlyWholeFramesPutOffTheDeadline() {
    var watch = watch()
    watch.note(.composed, at: start)
    watch.note(.outOfBuffers, at: start + Self.second / 2)
    #expect(watch.deadline == start + 3 * Self.second / 2)
    let deadline = watch.deadline
    watch.note(.chooseAgain, at: start + Self.second)
    watch.note(.damaged, at: start + Self.second)
    #expect(watch.deadline == deadline && watch.damaged == 1)
  }

  /// A first layer that is slower has more time, and a faster one has less.
  @Test func theTimeIsThatOfThePresentFirstLayer() {
    var watch = watch()
    watch.note(.composed, at: start)
    watch.expect(Rational(1, 2), at: start + 500_000_000)
    #expect(watch.deadline == start + 500_000_000 + 20 * Self.second)
    watch.expect(Rational(30, 1), at: start + Self.second)
    #expect(watch.deadline == start + 6 * Self.second)
    watch.expect(Rational(30, 1), at: start + 2 * Self.second)
    #expect(watch.deadline == start + 6 * Self.second, "the same rate begins nothing anew")
  }

  /// A composition that waits for its camera to come back notices when that camera stalls later.
  @Test func longPatienceEndsWithTheFirstPicture() {
    var watch = watch(patience: StallPatience(firstFrame: 86_400 * Self.second))
    #expect(watch.deadline == start + 86_400 * Self.second)
    watch.note(.composed, at: start + 100 * Self.second)
    watch.pause(until: start + 200 * Self.second)
    #expect(watch.deadline == start + 205 * Self.second)
  }
}
