/// How many frames may be sent to a reader: as many as the reader has asked for, and no more than its limit of
/// unacknowledged frames.
struct SendWindow: Sendable {
  private let maxUnacknowledged: Int
  /// Frames that the reader asked for and was not sent yet. Nil for a reader that need not ask.
  private var allowed: Int?
  /// The sequences of the frames that were sent and not acknowledged, oldest first.
  private var unacknowledged: [UInt64] = []

  /// - Parameters:
  ///   - maxUnacknowledged: the most frames that may be sent and not acknowledged. 0 sets no limit.
  ///   - asks: whether the reader gets only frames that it asked for by ``allow(_:)``.
  init(maxUnacknowledged: Int, asks: Bool) {
    self.maxUnacknowledged = maxUnacknowledged
    allowed = asks ? 0 : nil
  }

  /// Whether one more frame may be sent.
  var isOpen: Bool { allowed != 0 && (maxUnacknowledged == 0 || unacknowledged.count < maxUnacknowledged) }

  /// Lets this many more frames be sent to a reader that asks for each frame.
  mutating func allow(_ frames: Int) { allowed? += frames }

  /// Counts a frame as sent.
  mutating func noteSent(_ sequence: UInt64) {
    allowed? -= 1
    if maxUnacknowledged > 0 { unacknowledged.append(sequence) }
  }

  /// Takes the frame of `sequence` and all frames sent before it as acknowledged.
  ///
  /// A sequence that is acknowledged already, or was never sent, changes nothing. When frames of two streams on the way
  /// share the sequence, the older frame is acknowledged; the limit holds in either case.
  mutating func acknowledge(_ sequence: UInt64) {
    guard let index = unacknowledged.firstIndex(of: sequence) else { return }
    unacknowledged.removeFirst(index + 1)
  }
}
