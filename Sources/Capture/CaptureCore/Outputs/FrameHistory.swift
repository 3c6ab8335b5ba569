public import SystemClocks

/// The recent frames of a camera, which can be found by sequence number or by time.
public protocol FrameHistory: Sendable {
  /// Finds the frame at `moment`, or the nearest one.
  ///
  /// - Returns: nil when no frame is kept. `exact` is false when the frame with this sequence number is not kept, or
  ///   when the time is more than half a period before the oldest or after the newest frame that is kept. (A frame
  ///   stands for the time from half a period before it to half a period after it.)
  func frame(nearest moment: CaptureMoment) -> (frame: CapturedFrame, exact: Bool)?

  /// The newest frame; nil when no frame is kept.
  var newest: CapturedFrame? { get }

  /// The id of the earliest stream that is not over. No reader may be shown frames of earlier streams, even while the
  /// present stream has no frame yet.
  var earliestStreamID: UInt64 { get }

  /// Whether frames of a stream must not be shown any more: the stream is over, or is that of a camera which the output
  /// had before. A stream can be over before the next stream has its first frame.
  func isOver(stream: UInt64) -> Bool
}

extension FrameHistory {
  /// 0, so that no stream counts as over, unless the history implements this property.
  public var earliestStreamID: UInt64 { 0 }

  /// Whether a later stream has begun, unless the history implements this method.
  public func isOver(stream: UInt64) -> Bool { max(earliestStreamID, newest?.frame.streamID ?? 0) > stream }

  /// Whether `instant` lies at most half a period before the oldest or after the newest of a row of frames.
  ///
  /// - Parameters:
  ///   - count: the number of frames in the row, which gives the mean period; a single frame has a period of 0.
  ///   - oldest: the time of the oldest frame.
  ///   - newest: the time of the newest frame.
  public static func covers<Instant: ClockInstant>(
    _ instant: Instant, count: Int, oldest: Instant, newest: Instant
  ) -> Bool {
    let half = count > 1 ? newest.nanoseconds(since: oldest) / UInt64(2 * (count - 1)) : 0
    return instant >= oldest - half && instant <= newest + half
  }
}
