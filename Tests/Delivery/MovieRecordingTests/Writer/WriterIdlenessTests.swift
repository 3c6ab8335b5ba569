import SystemClocks
import Testing

@testable import MovieRecording

/// When a writer counts as one that nobody uses any more.
struct WriterIdlenessTests {
  private static func at(_ seconds: UInt64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }
  private var idleness = WriterIdleness(now: at(100))

  private func left(at seconds: UInt64) -> UInt64 {
    idleness.remaining(of: 30_000_000_000, now: Self.at(seconds)) / 1_000_000_000
  }

  @Test func anUnusedWriterIsIdleAfterItsTimeout() {
    #expect(left(at: 110) == 20)
    #expect(left(at: 130) == 0)
    #expect(left(at: 500) == 0)
  }

  @Test mutating func aCallBeginsTheTimeAnew() {
    idleness.touch(now: Self.at(120))
    #expect(left(at: 130) == 20)
  }

  @Test mutating func aWriterInUseIsNotIdle() {
    idleness.beginUse()
    idleness.beginUse()
    #expect(left(at: 500) == 30)
    idleness.endUse(now: Self.at(510))
    #expect(left(at: 600) == 30)
    idleness.endUse(now: Self.at(610))
    #expect(left(at: 620) == 20)
  }
}
