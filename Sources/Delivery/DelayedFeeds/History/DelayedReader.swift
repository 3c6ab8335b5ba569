public import FrameDelivery

/// One reader of a delayed feed. When the reader is detached or released, the history goes unless another reader shares
/// it. Thread-safe, but only one receiver may wait at a time.
public final class DelayedReader: StreamReader {
  let history: DelayedHistory
  private let seat: Int

  init(history: DelayedHistory, seat: Int) {
    self.history = history
    self.seat = seat
  }

  deinit { history.leave(seat) }

  /// A function that asks for the next event; see ``FrameDelivery/StreamReader/asking(_:)``. Only an error comes at
  /// once; the thread of the history brings the events.
  ///
  /// The receiver gets `CaptureError` once the preview or the history has ended, and `CancellationError` after
  /// ``abandonNext()`` or ``detach()``. The first event is a status; every other one is the newest that is due.
  public func asking(_ receiver: @escaping @Sendable (Result<DelayedEvent, any Error>) -> Void) -> @Sendable () -> Void
  {
    { [self] in history.ask(for: seat, receiver) }
  }

  /// Ends the wait that a function of ``asking(_:)`` has begun. No event is lost.
  public func abandonNext() { history.abandon(seat) }

  /// Leaves the history. Further calls do nothing.
  public func detach() { history.leave(seat) }
}

/// What a reader of a delayed feed gets.
public enum DelayedEvent: Sendable {
  /// The status of the preview, as it was by the reader's delay before. Its token is empty.
  case status(PreviewStatus)
  /// How far the history reaches back.
  case report(HistoryReport)
  /// The picture that is due.
  case frame(PreviewPicture)
}

/// The history of a delayed feed at one moment.
public struct HistoryReport: Hashable, Sendable {
  /// How far the history reaches back from now, in nanoseconds.
  public var available: UInt64
  /// The delay at which the reader gets frames, in nanoseconds.
  public var effectiveDelay: UInt64
  /// The number of pictures in the history.
  public var frameCount: Int
  /// The most bytes that the file takes now, and that it may take.
  public var byteCount, byteLimit: Int
  /// The readers that share the history.
  public var readerCount: Int
}
