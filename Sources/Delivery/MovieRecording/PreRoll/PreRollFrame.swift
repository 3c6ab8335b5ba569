/// A frame that the encoder of a pre-roll has coded, or is going to code.
struct PreRollFrame: Hashable, Sendable {
  /// The frame's time in the run of the encoder, in nanoseconds.
  var time: UInt64
  var isKeyFrame: Bool

  /// Returns the number of the frame with which a recording begins: the last key frame that is not later than the first
  /// frame wanted. Nil when no frame is wanted, or when no key frame is old enough.
  ///
  /// - Parameters:
  ///   - frames: in the order of their times.
  ///   - start: the first frame from this time on is wanted.
  static func first(of frames: [PreRollFrame], from start: UInt64) -> Int? {
    guard let wanted = frames.firstIndex(where: { $0.time >= start }) else { return nil }
    return frames[...wanted].lastIndex(where: \.isKeyFrame)
  }
}
