internal import CaptureCore

/// What a rate made of the frames of an output, up to and including one frame.
struct RateTally: Hashable, Sendable {
  /// Frames that the rate left out.
  var omitted: UInt64 = 0
  /// Frames that were due.
  var due: UInt64 = 0
  /// Whether the last of the counted frames is due.
  var isDue = true

  mutating func take(isDue: Bool) {
    self.isDue = isDue
    if isDue { due += 1 } else { omitted += 1 }
  }
}
