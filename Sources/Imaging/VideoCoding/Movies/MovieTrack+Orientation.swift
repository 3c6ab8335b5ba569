internal import CVideoCoding
public import CaptureCore

extension MovieTrack {
  /// The track of the same pictures that players turn. Only MP4 and QuickTime can tell players so.
  ///
  /// - Parameter size: the size of the pictures as they are coded.
  /// - Throws: `processingFailed` when there is no memory.
  public func turned(by orientation: Orientation, size: Size) throws(CaptureError) -> MovieTrack {
    guard orientation != .asCaptured else { return self }
    let turned = withExtendedLifetime(self) { cvideo_track_turned(handle, orientation.displayMatrix(of: size)) }
    guard let turned else { throw CaptureError(.processingFailed, "There is no memory for the movie.") }
    return MovieTrack(media, owning: turned)
  }
}

extension Orientation {
  /// The matrix of a track in MP4 (ISO/IEC 14496-12, 6.2.2): a point (x, y) of the coded picture is shown at
  /// (ax + cy + tx, bx + dy + ty). The numbers are a, b, 0, c, d, 0, tx, ty and 1, with 16 or 30 bits after the point.
  func displayMatrix(of size: Size) -> [Int32] {
    let (width, height) = (Int32(size.width), Int32(size.height))
    var (a, b, c, d, tx, ty): (Int32, Int32, Int32, Int32, Int32, Int32) =
      switch rotation {
      case .none: (1, 0, 0, 1, 0, 0)
      case .quarter: (0, 1, -1, 0, height, 0)
      case .half: (-1, 0, 0, -1, width, height)
      case .threeQuarters: (0, -1, 1, 0, 0, width)
      }
    if isMirrored { (a, c, tx) = (-a, -c, Int32(turned(size).width) - tx) }
    return [a << 16, b << 16, 0, c << 16, d << 16, 0, tx << 16, ty << 16, 1 << 30]
  }
}
