public import CaptureCore

/// Where a movie is written: a file, a pipe, the body of an answer by HTTP, or memory. The muxer's thread calls it.
public protocol MovieSink: AnyObject {
  /// Whether ``seek(to:)`` works. Only Matroska seeks, to write at its end how long it became; it does without that
  /// where it cannot.
  var canSeek: Bool { get }

  /// Writes all bytes at the current offset, and moves the offset behind them.
  ///
  /// - Parameter bytes: Valid only during the call.
  /// - Throws: An error that ends the movie. The muxer throws the same error.
  func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError)

  /// Moves the offset to this number of bytes from the start of the movie.
  ///
  /// - Throws: An error that ends the movie. The muxer throws the same error.
  func seek(to offset: Int64) throws(CaptureError)

  /// Forgets all bytes from this offset on, if the sink can do that. The muxer calls it once after a failure, with the
  /// end of the last whole fragment, because not all players open a movie that ends within a fragment.
  func truncate(to offset: Int64)
}

extension MovieSink {
  /// Does nothing, as is right for a sink that has passed on what it got.
  public func truncate(to offset: Int64) {}
}
