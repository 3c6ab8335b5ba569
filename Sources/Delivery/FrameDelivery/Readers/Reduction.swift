internal import CaptureCore

/// How much less a reader is given than it asked for, because its link is slow.
struct Reduction: Hashable, Sendable {
  /// Of the quality asked for, in quarters.
  var quality = 4
  /// Every n-th of the frames asked for.
  var every = 1
  /// Of the size asked for, in 64ths of its sides.
  var scale = PictureFit.fullScale

  static let none = Reduction()
}
