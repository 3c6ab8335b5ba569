public import CaptureCore
internal import Locking

/// Finds the readers of all preview and video data outputs of the daemon, and the viewfinders, by their tokens.
/// Thread-safe.
public final class ReaderDirectory: Sendable {
  private let streams = Locked<[String: any AcknowledgedStream]>([:])

  /// Makes an empty directory.
  public init() {}

  /// Says that the reader of `token` has consumed the frame of `sequence` and all frames sent before that frame.
  ///
  /// A sequence that is acknowledged already, or was never sent, changes nothing.
  ///
  /// - Throws: `streamNotFound` when no attached reader has this token.
  public func acknowledge(token: String, sequence: UInt64) throws(CaptureError) {
    try stream(token: token, as: (any AcknowledgedStream).self).acknowledge(sequence)
  }

  /// Returns the stream of a token.
  ///
  /// - Parameter kind: the type of the stream.
  /// - Throws: `streamNotFound` when no stream of this type has this token.
  public func stream<Stream>(token: String, as kind: Stream.Type) throws(CaptureError) -> Stream {
    guard let stream = streams.withLock({ $0[token] }) as? Stream else {
      // The token is the reader's secret, so the message must not contain it.
      throw CaptureError(
        .streamNotFound,
        "No stream has this token, perhaps because the stream has ended; use the token of the newest status.",
        field: "stream_token")
    }
    return stream
  }

  /// Adds a stream until ``remove(_:)``, unless `isAttached` says afterwards that the stream has left its output in
  /// between: no later call would remove it.
  func add(_ stream: any AcknowledgedStream, while isAttached: () -> Bool) {
    add(stream)
    if !isAttached() { remove(stream.token) }
  }

  /// Adds a stream until ``remove(_:)``.
  public func add(_ stream: any AcknowledgedStream) { streams.withLock { $0[stream.token] = stream } }

  /// Forgets the stream of a token.
  public func remove(_ token: String) { _ = streams.withLock { $0.removeValue(forKey: token) } }
}

/// A stream whose client says which frames it has consumed.
public protocol AcknowledgedStream: AnyObject, Sendable {
  /// Names the stream: 128 random bits in hexadecimal.
  var token: String { get }

  /// Says that the client has consumed the frame of `sequence` and all frames sent before that frame. A sequence that
  /// is acknowledged already, or was never sent, changes nothing.
  func acknowledge(_ sequence: UInt64)
}

/// One reader of a stream, such as the readers of a preview, of video data and of a delayed feed. Thread-safe, but only
/// one receiver may wait at a time.
public protocol StreamReader: Sendable {
  /// What the reader gets, such as statuses and frames.
  associatedtype Event: Sendable

  /// Returns a function that asks for the next event. Each call of the function makes the reader call `receiver` once,
  /// with the event or with the error that ends the stream. The reader calls it at once, or later on the thread that
  /// brings the event. That thread may capture frames, so `receiver` must return soon. The function keeps the reader
  /// alive.
  func asking(_ receiver: @escaping @Sendable (Result<Event, any Error>) -> Void) -> @Sendable () -> Void

  /// Ends the wait that a function of ``asking(_:)`` has begun: the receiver gets `CancellationError`. No event is
  /// lost.
  func abandonNext()
}

extension OutputContext {
  /// Whether the stream of `frame` is over, or is that of a camera which the output had before. A stream can be over
  /// before the next stream has its first frame.
  func isOver(_ frame: Frame) -> Bool { history.isOver(stream: frame.streamID) }
}
