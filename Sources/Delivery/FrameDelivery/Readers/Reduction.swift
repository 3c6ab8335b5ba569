internal import CaptureCore

/// How much less a reader gets than it asked for, because its link is slow.
struct Reduction: Hashable, Sendable {
  /// The quality, in quarters of the quality that the reader asked for.
  var quality = 4
  /// The reader gets every n-th of the frames that it asked for.
  var every = 1
  /// The size, in 64ths of the sides that the reader asked for.
  var scale = PictureFit.fullScale

  static let none = Reduction()
}
