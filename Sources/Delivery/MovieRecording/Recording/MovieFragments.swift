internal import CaptureCore
internal import SystemClocks
internal import VideoCoding

/// Finds where the fragments of a file end, by the samples in them, as a value. Times are in nanoseconds.
///
/// libavformat keeps a fragment in memory until it ends, and a fragment can end only before a key frame. So a fragment
/// with too many bytes ends early, before a key frame that the encoder is asked for.
struct FragmentMeter: Sendable {
  /// The bytes from which on a fragment ends before the next key frame.
  static let maximumBytes = 32 << 20

  /// How long a fragment lasts at least, unless it has too many bytes.
  let interval: UInt64
  let maximumBytes: Int
  /// When the present fragment began. Nil before the first one.
  private var start: UInt64?
  /// The bytes of the samples of the present fragment.
  private(set) var bytes = 0
  private var isDemanded = false

  init(every interval: UInt64, maximumBytes: Int = maximumBytes) {
    self.interval = interval
    self.maximumBytes = maximumBytes
  }

  /// Adds a sample.
  ///
  /// - Returns: whether a fragment ends before the sample.
  mutating func add(_ count: Int, at time: UInt64, lasting duration: UInt64, isKeyFrame: Bool) -> Bool {
    defer { bytes += count }
    guard let start else {
      self.start = time
      return false
    }
    // The time stamps of a steady rate vary by microseconds.
    let isLong = time + duration / 2 >= start + interval
    guard isKeyFrame, isLong || bytes >= maximumBytes else { return false }
    (self.start, bytes, isDemanded) = (time, 0, false)
    return true
  }

  /// Adds the bytes of sound, which belong to the present fragment and end none.
  mutating func add(sound count: Int) {
    if start != nil { bytes += count }
  }

  /// Whether the fragment has too many bytes and no key frame was demanded that can end it.
  var needsKeyFrame: Bool { bytes >= maximumBytes && !isDemanded }

  /// Notes that the encoder was asked for a key frame, which it may return some samples later.
  mutating func demandedKeyFrame() { isDemanded = true }
}

/// The file of one recording, which grows by whole fragments. Thread-bound: only the thread that writes the file uses
/// it.
final class MovieFile {
  private let medium: any MovieMedium
  private let container: MovieContainer
  private let audioTracks: [MovieTrack]
  private var muxer: MovieMuxer?
  private var fragments: FragmentMeter
  /// The number of pictures in the present fragment.
  private var fragmentSamples: UInt64 = 0
  /// Where each track of sound ends that was added, in nanoseconds.
  private var soundEnds: [UInt64]
  /// The newest sample, if it is of sound: its track, and where the track ended before it.
  private var newestSound: (track: Int, before: UInt64)?

  /// Begins the movie.
  ///
  /// - Parameter audioTracks: the tracks of sound beside that of the pictures.
  /// - Throws: what ``MovieDestination/open()`` throws.
  init(
    _ destination: MovieDestination, container: MovieContainer, fragmentInterval: UInt64, audioTracks: [MovieTrack] = []
  ) throws(CaptureError) {
    medium = try destination.open()
    self.container = container
    self.audioTracks = audioTracks
    fragments = FragmentMeter(every: fragmentInterval)
    soundEnds = Array(repeating: 0, count: audioTracks.count)
    playableSoundEnds = soundEnds
  }

  /// The number of bytes that play: 0 until the first fragment is complete.
  private(set) var size: UInt64 = 0
  /// The number of pictures that play.
  private(set) var sampleCount: UInt64 = 0
  /// Where each track of sound that plays ends, in nanoseconds.
  private(set) var playableSoundEnds: [UInt64]

  /// The number of bytes that the file has once all of its samples are written, besides the index of the last fragment.
  var sizeWithFragment: UInt64 { UInt64(muxer?.playableCount ?? 0) + UInt64(fragments.bytes) }

  /// The number of bytes of the file system that are free for processes without privileges once all of its samples are
  /// written. Nil when the system does not tell.
  var freeSpaceWithFragment: UInt64? {
    let written = UInt64(muxer?.writtenCount ?? 0)
    let waiting = sizeWithFragment - min(sizeWithFragment, written)
    return medium.freeSpace.map { $0 - min($0, waiting) }
  }

  /// Adds a sample of the pictures. The first one begins the movie.
  ///
  /// - Returns: whether a fragment ended before the sample. It is on the storage then.
  /// - Throws: what ``MovieMuxer`` and its sink throw. The file then plays up to its last whole fragment.
  func append(_ sample: MovieSample, of track: MovieTrack) throws(CaptureError) -> Bool {
    let endsFragment = fragments.add(
      sample.bytes.count, at: sample.presentationTime, lasting: sample.duration, isKeyFrame: sample.isKeyFrame)
    guard let muxer else {
      let muxer = try MovieMuxer(container, tracks: [track] + audioTracks, sink: medium, creationTime: .now())
      self.muxer = muxer
      try append(sample, with: muxer)
      return false
    }
    if endsFragment {
      try muxer.endFragment()
      try medium.sync()
      endFragment(muxer)
      leaveOutKeptSound()
    }
    try append(sample, with: muxer)
    return endsFragment
  }

  /// Adds a sample of sound. Before the first picture there is no movie that could have sound.
  ///
  /// - Parameter track: the index of the track among those of sound.
  /// - Throws: as ``append(_:of:)``.
  func append(audio sample: MovieSample, to track: Int) throws(CaptureError) {
    guard let muxer else { return }
    fragments.add(sound: sample.bytes.count)
    try muxer.append(sample, to: 1 + track)
    newestSound = (track, soundEnds[track])
    soundEnds[track] = max(soundEnds[track], sample.presentationTime + sample.duration)
  }

  private func append(_ sample: MovieSample, with muxer: MovieMuxer) throws(CaptureError) {
    try muxer.append(sample)
    newestSound = nil
    fragmentSamples += 1
  }

  private func endFragment(_ muxer: MovieMuxer) {
    size = UInt64(muxer.playableCount)
    sampleCount += fragmentSamples
    playableSoundEnds = soundEnds
    fragmentSamples = 0
  }

  /// libavformat keeps the newest sample of sound of Matroska until the next sample, also when a cluster ends.
  private func leaveOutKeptSound() {
    guard container == .matroska, let newestSound else { return }
    playableSoundEnds[newestSound.track] = newestSound.before
  }

  /// Completes the movie, which is on the storage when this method returns.
  ///
  /// - Throws: what ``MovieMuxer`` and its sink throw. The file then plays up to its last whole fragment.
  func finish() throws(CaptureError) {
    guard let muxer else { return }
    try muxer.finish()
    try medium.sync()
    endFragment(muxer)
  }

  /// Removes a file of which nothing plays.
  func discardIfEmpty() {
    if size == 0 { medium.discard() }
  }
}
