/// Recent frames, findable by what a person saw or when.
public protocol FrameHistory: Sendable {
  /// The frame at `moment`, or the nearest one.
  ///
  /// - Returns: nil when no frame is kept. `exact` is false when the sequence asked for is not kept, or the time is before or
  ///   after what is: by more than half a period, since a frame stands for the time around it.
  func frame(nearest moment: CaptureMoment) -> (frame: CapturedFrame, exact: Bool)?

  /// The newest frame.
  var newest: CapturedFrame? { get }

  /// Frames of streams before this one are over, also while the present one has no frame yet: nobody is to be shown them.
  var earliestStreamID: UInt64 { get }
}

extension FrameHistory {
  public var earliestStreamID: UInt64 { 0 }

  /// Whether an instant is among those of `count` frames, the oldest and the newest of them at these times.
  public static func covers(_ instant: UInt64, count: Int, oldest: UInt64, newest: UInt64) -> Bool {
    let half = count > 1 ? (newest - min(newest, oldest)) / UInt64(2 * (count - 1)) : 0
    return instant >= oldest - min(oldest, half) && instant <= newest + half
  }
}
