public import FrameDelivery

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
