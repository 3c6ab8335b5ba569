public import CaptureCore
public import VideoStorage

/// What the store of recordings must know of the video storage: which movie is in there and has no file, and what
/// becomes of a movie whose recording has ended. See ``VideoStorage`` for the methods.
public protocol MovieStorage: Sendable {
  var isReadable: Bool { get }
  var movieInside: String? { get }
  func giveUp(_ target: String) async throws(CaptureError)
  func whenLeftMovieIsGone(_ body: @escaping @Sendable (LeftMovie) -> Void)
}

extension VideoStorage: MovieStorage {}
