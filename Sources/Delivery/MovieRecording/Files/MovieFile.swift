internal import CaptureCore
internal import SystemClocks
internal import VideoCoding

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The file of one recording, which grows by whole fragments. Thread-bound: only the thread that writes the file uses
/// it.
final class MovieFile {
  private let path: String
  private let container: MovieContainer
  private let fragmentInterval: UInt64
  private let descriptor: Int32
  private let sink: MovieFileSink
  private var muxer: MovieMuxer?
  /// The time in the movie at which the present fragment begins, in nanoseconds.
  private var fragmentStart: UInt64 = 0

  /// Makes the file.
  ///
  /// - Throws: `processingFailed` with the error of the file system, also when there is a file of that name, which stays
  ///   as it is.
  init(path: String, container: MovieContainer, fragmentInterval: UInt64) throws(CaptureError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .making(path, errno) }
    self.path = path
    self.container = container
    self.fragmentInterval = fragmentInterval
    sink = MovieFileSink(owning: descriptor)
  }

  /// The number of bytes that play.
  var size: UInt64 { UInt64(muxer?.playableCount ?? 0) }

  /// The number of bytes of the file system that are free for processes without privileges. Nil when the system does not
  /// tell.
  var freeSpace: UInt64? {
    var facts = statvfs()
    return fstatvfs(descriptor, &facts) == 0 ? UInt64(facts.f_bavail) * UInt64(facts.f_frsize) : nil
  }

  /// Adds a sample. The first sample begins the movie.
  ///
  /// - Returns: whether a fragment ended before the sample. It is on the storage then.
  /// - Throws: what ``MovieMuxer`` and its sink throw. The file then plays up to its last whole fragment.
  func append(_ sample: MovieSample, of track: MovieTrack) throws(CaptureError) -> Bool {
    guard let muxer else {
      let muxer = try MovieMuxer(container, tracks: [track], sink: sink, creationTime: .now())
      self.muxer = muxer
      fragmentStart = sample.presentationTime
      try muxer.append(sample)
      return false
    }
    let endsFragment = sample.isKeyFrame && sample.presentationTime - fragmentStart >= fragmentInterval
    if endsFragment {
      try muxer.endFragment()
      try sink.sync()
      fragmentStart = sample.presentationTime
    }
    try muxer.append(sample)
    return endsFragment
  }

  /// Completes the movie, which is on the storage when this method returns.
  ///
  /// - Throws: what ``MovieMuxer`` and its sink throw. The file then plays up to its last whole fragment.
  func finish() throws(CaptureError) {
    guard let muxer else { return }
    try muxer.finish()
    try sink.sync()
  }

  /// Removes a file of which nothing plays.
  func discardIfEmpty() {
    if size == 0 { unlink(path) }
  }
}

extension CaptureError {
  fileprivate static func making(_ path: String, _ number: Int32) -> CaptureError {
    let reason = String(cString: strerror(number))
    return CaptureError(
      .processingFailed, "The file of the recording cannot be made: \(reason).",
      metadata: ["file": path, "errno": "\(number)"])
  }
}
