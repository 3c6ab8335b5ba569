internal import CaptureCore

/// What a rate made of the frames up to and including one.
struct RateTally: Hashable, Sendable {
  /// Frames left out.
  var omitted: UInt64 = 0
  /// Frames that are not.
  var due: UInt64 = 0
  /// Whether the frame itself is not.
  var isDue = true

  mutating func take(isDue: Bool) {
    self.isDue = isDue
    if isDue { due += 1 } else { omitted += 1 }
  }
}
