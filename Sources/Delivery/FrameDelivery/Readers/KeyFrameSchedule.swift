/// When an encoder must make a key frame. A value.
///
/// At once for the first picture and for a reader who cannot go on without, but at most once a second: who asks sooner waits.
/// And every ten seconds, so that what somebody keeps of the stream can be entered.
struct KeyFrameSchedule: Sendable {
  static let (shortest, longest): (UInt64, UInt64) = (1_000_000_000, 10_000_000_000)

  private var isWanted = true
  private var last: UInt64?
  private var streamID: UInt64?

  /// A reader waits for one.
  mutating func request() { isWanted = true }

  /// Decides about the next picture. A stream of the camera's begins with a key frame.
  ///
  /// - Parameter instant: when the picture was captured, nanoseconds of the monotonic clock.
  mutating func forces(at instant: UInt64, streamID: UInt64) -> Bool {
    if self.streamID != streamID { (self.streamID, last) = (streamID, nil) }
    guard let last, last <= instant else { return true }
    return instant - last >= (isWanted ? Self.shortest : Self.longest)
  }

  /// Takes that the picture of `instant` was made, as a key frame.
  mutating func madeKeyFrame(at instant: UInt64) { (last, isWanted) = (instant, false) }
}
