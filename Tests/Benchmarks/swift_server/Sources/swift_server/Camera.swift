import Glibc
import Synchronization

func monotonicNanoseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// Makes frames at a steady rate and gives the newest to every subscriber.
final class Camera: Sendable {
  private let subscribers = Mutex<(next: Int, all: [Int: AsyncStream<[UInt8]>.Continuation])>((0, [:]))
  private let payload: Int
  private let period: UInt64

  init(payload: Int, rate: UInt64) {
    self.payload = payload
    period = 1_000_000_000 / rate
  }

  /// The messages from now on. Only the newest one waits.
  func frames() -> AsyncStream<[UInt8]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(1))
    let id = subscribers.withLock { state in
      state.next += 1
      state.all[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [self] _ in subscribers.withLock { _ = $0.all.removeValue(forKey: id) } }
    return stream
  }

  /// Makes frames and never returns.
  func run() {
    var next = monotonicNanoseconds()
    var sequence: UInt64 = 0
    while true {
      next += period
      var until = timespec(tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil)
      let message = Message.make(sequence: sequence, time: next, payload: payload)
      for subscriber in subscribers.withLock({ $0.all.values.map { $0 } }) { subscriber.yield(message) }
      sequence += 1
    }
  }
}
