/// What pictures may be at most.
public struct PictureLimits: Hashable, Sendable {
  /// Pixels, of the longer side of a preview's. Nil: any.
  public var side: Int?
  /// JPEG quality of a preview's, 1 to 100. Nil: any.
  public var quality: Int?
  /// Frames that a photo is made of, at least 1. Nil: any.
  public var fusedFrames: Int?

  public init(side: Int? = nil, quality: Int? = nil, fusedFrames: Int? = nil) {
    self.side = side
    self.quality = quality
    self.fusedFrames = fusedFrames
  }
}
