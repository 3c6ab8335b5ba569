internal import CVideoCoding
public import CaptureCore

/// What a movie tells once about the samples of its tracks, in a form that a record can keep. A value.
public struct MovieForm: Hashable, Sendable {
  /// The ``MovieTrack/digest`` of each track, by its place: 0 for the pictures, then those of sound.
  public var digests: [Int: UInt64]

  /// Creates a form of known digests.
  public init(digests: [Int: UInt64]) { self.digests = digests }

  /// The form of the tracks that have samples.
  public init(of index: MovieIndex) {
    let tracks = [(0, index.pictures.track)] + index.sounds.map { ($0.key + 1, $0.value.track) }
    digests = Dictionary(uniqueKeysWithValues: tracks.map { ($0, $1.digest) })
  }

  /// Reads the beginning of a file in MP4 or QuickTime, which may be cut off or grow meanwhile. Blocks.
  ///
  /// - Parameter path: the path of the file.
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when it cannot open the file.
  public init(of path: String, container: MovieContainer) throws(CaptureError) {
    guard MovieContainer.isAvailable else { throw .withoutLibrary("libavformat is not installed") }
    var found = [UInt64](repeating: 0, count: Int(CVIDEO_MAXIMUM_TRACKS))
    var count: Int32 = 0
    let (result, cause) = withMessage { message in
      found.withUnsafeMutableBufferPointer {
        cvideo_read_digests(container.inC, "file:\(path)", $0.baseAddress!, &count, message)
      }
    }
    guard result == CVIDEO_OK else {
      throw CaptureError(.processingFailed, "The movie cannot be read: \(cause).", metadata: ["cause": cause])
    }
    digests = Dictionary(uniqueKeysWithValues: found.prefix(Int(count)).enumerated().map { ($0, $1) })
  }
}
