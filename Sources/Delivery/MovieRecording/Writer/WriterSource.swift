public import CaptureCore
internal import Locking

/// A source of a writer's samples: a call of a client, or the output of a session. Thread-safe.
public final class WriterSource: Sendable {
  let number: UInt64
  /// Whether a camera gives the samples, which never waits.
  let isAttached: Bool
  private let room: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let whenEnded: @Sendable () -> Void
  private let reason = Locked<CaptureError?>(nil)

  /// - Parameter whenEnded: called once, when no more samples of the source get through.
  init(number: UInt64, isAttached: Bool, whenEnded: @escaping @Sendable () -> Void) {
    self.number = number
    self.isAttached = isAttached
    self.whenEnded = whenEnded
    (room, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Why no more samples of the source get through. Nil while they do.
  public var ending: CaptureError? { reason.withLock { $0 } }

  /// Ends the source. Only the first reason counts.
  func end(_ error: CaptureError) {
    let isFirst = reason.withLock { reason in
      defer { reason = reason ?? error }
      return reason == nil
    }
    guard isFirst else { return }
    signal.finish()
    whenEnded()
  }

  /// Tells that there may be room for more samples.
  func tellRoom() { signal.yield() }

  /// Waits until there may be room, or the source ends, or the task is cancelled.
  func waitForRoom() async {
    var iterator = room.makeAsyncIterator()
    await iterator.next()
  }
}
