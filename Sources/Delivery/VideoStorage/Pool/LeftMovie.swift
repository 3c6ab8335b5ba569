/// A movie that the video storage had to move by itself, because its capture ended without that, and no longer has.
public struct LeftMovie: Hashable, Sendable {
  /// The absolute path that the movie was to get.
  public let target: String
  /// Whether the movie is at that path. Otherwise nothing of it was on the disk, or it was given up.
  public let hasFile: Bool

  /// Creates a movie.
  public init(target: String, hasFile: Bool) { (self.target, self.hasFile) = (target, hasFile) }
}
