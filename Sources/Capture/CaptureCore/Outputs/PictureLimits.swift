/// The upper limits on the pictures of a session. A value that is nil is not limited.
public struct PictureLimits: Hashable, Sendable {
  /// The limit on the longer side of a preview's pictures, in pixels; nil for no limit.
  public var side: Int?
  /// The limit on the JPEG quality of a preview's pictures, 1 to 100; nil for no limit.
  public var quality: Int?
  /// The limit on the number of frames that one photo is made of, at least 1; nil for no limit.
  public var fusedFrames: Int?

  /// Creates limits; a value that is nil is not limited.
  ///
  /// - Parameters: as the properties of the same names.
  public init(side: Int? = nil, quality: Int? = nil, fusedFrames: Int? = nil) {
    self.side = side
    self.quality = quality
    self.fusedFrames = fusedFrames
  }
}
