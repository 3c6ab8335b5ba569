internal import CaptureCore
internal import VideoCoding

/// Writes samples to the disk. Thread-bound: only the thread that writes uses it.
protocol SampleWriter: AnyObject {
  /// Why nothing can be written any more.
  associatedtype Failure: Error

  /// Prepares what has to be there before the first sample.
  func open() throws(Failure)

  /// Writes a sample of the pictures.
  func append(_ sample: MovieSample, of track: MovieTrack) throws(Failure)

  /// Takes a piece of sound, which is written before the next picture.
  func append(_ piece: AudioPiece) throws(Failure)
}

extension SampleSource {
  /// Gives the samples to a writer until they end. Called on the thread that writes, which it blocks.
  ///
  /// - Parameters:
  ///   - finish: completes what was written. Not called after an error of the writer.
  ///   - whenFailed: takes the first error of the writer or of `finish`. The samples that follow are lost.
  /// - Returns: the error of the encoder, if that ended the samples.
  @discardableResult
  func write<Writer: SampleWriter>(
    with writer: Writer, for owner: some SampleOwner, finish: () throws(Writer.Failure) -> Void,
    whenFailed: (Writer.Failure) -> Void
  ) -> CaptureError? {
    var hasFailed = false
    func perform(_ body: () throws(Writer.Failure) -> Void) {
      guard !hasFailed else { return }
      do throws(Writer.Failure) { try body() } catch {
        hasFailed = true
        whenFailed(error)
      }
    }
    func next() -> SampleQueue.Element? {
      owner.madeRoom()
      return take(for: owner)
    }
    var failure: CaptureError?
    perform { () throws(Writer.Failure) in try writer.open() }
    loop: while let element = next() {
      switch element {
      case .sample(let sample, let track, _), .past(let sample, let track):
        perform { () throws(Writer.Failure) in try writer.append(sample, of: track) }
      case .audio(let piece): perform { () throws(Writer.Failure) in try writer.append(piece) }
      case .end(let error):
        failure = error
        break loop
      }
    }
    if !hasFailed { do throws(Writer.Failure) { try finish() } catch { whenFailed(error) } }
    close()
    return failure
  }
}

/// A file with pictures and their sound, which lie there in the order of their times. Thread-bound.
struct MoviePart {
  let file: MovieFile
  /// Where the part begins in the samples, in nanoseconds.
  let start: UInt64
  /// The duration of all pictures that the file was given, in nanoseconds.
  private(set) var duration: UInt64 = 0

  init(_ file: MovieFile, from start: UInt64 = 0) { (self.file, self.start) = (file, start) }

  /// Adds sound. That from before the part is lost, and so is that from its end on.
  func append(_ sound: [(sample: MovieSample, track: Int)], before end: UInt64 = .max) throws(CaptureError) {
    for (sample, track) in sound where sample.presentationTime >= start && sample.presentationTime < end {
      try file.append(audio: sample.moved(by: start), to: track)
    }
  }

  /// Adds a picture. Returns whether a fragment ended before it, which is on the storage then.
  mutating func append(_ sample: MovieSample, of track: MovieTrack) throws(CaptureError) -> Bool {
    let endsFragment = try file.append(sample.moved(by: start), of: track)
    duration = max(duration, sample.presentationTime + sample.duration - start)
    return endsFragment
  }

  /// Completes the file.
  ///
  /// - Parameter audio: has the rest of the sound; nil when that belongs to the part that follows.
  /// - Returns: what is wrong with the sound. The pictures are whole, whatever became of it.
  /// - Throws: why the file cannot be completed.
  func finish(_ audio: AudioTracks?, before end: UInt64 = .max) throws(CaptureError) -> CaptureError? {
    var failure: CaptureError?
    do throws(CaptureError) { if let audio { try append(try audio.finish(), before: end) } } catch { failure = error }
    try file.finish()
    return failure
  }
}

/// Writes the samples of a recording into its file.
final class MovieWriter: SampleWriter {
  typealias Failure = CaptureError

  private let recorder: MovieRecorder
  private let destination: MovieDestination
  private var part: MoviePart?
  private var audio: AudioTracks?
  /// Whether a limit of the file has ended the movie.
  private var isCut = false

  init(_ destination: MovieDestination, for recorder: MovieRecorder) {
    self.recorder = recorder
    self.destination = destination
  }

  func open() throws(CaptureError) {
    let settings = recorder.settings
    let audio = try settings.sound.open()
    self.audio = audio
    part = MoviePart(
      try MovieFile(
        destination, container: settings.container, fragmentInterval: settings.fragmentInterval,
        audioTracks: audio.tracks))
  }

  func append(_ sample: MovieSample, of track: MovieTrack) throws(CaptureError) {
    guard !isCut, let audio, let former = part else { return }
    isCut = !recorder.mayWrite(sample, after: former.duration, to: former.file)
    if isCut { return }
    try former.append(audio.take(before: sample.presentationTime))
    if try part!.append(sample, of: track) { recorder.note(former.file, silence: audio.silence) }
  }

  func append(_ piece: AudioPiece) throws(CaptureError) { try audio?.add(piece) }

  /// Completes the file, which has no sound that begins after a limit has ended the movie.
  func finish() throws(CaptureError) {
    guard let part else { return }
    if let failure = try part.finish(audio, before: isCut ? part.duration : .max) { throw failure }
  }

  /// Closes the file, also one that could not be completed. Nothing is left of a file of which nothing plays.
  func close() {
    guard let part, let audio else { return }
    part.file.discardIfEmpty()
    recorder.note(part.file, silence: audio.silence)
  }
}

extension MovieSample {
  /// The sample in a movie that begins so many nanoseconds later.
  fileprivate func moved(by start: UInt64) -> MovieSample {
    var moved = self
    moved.presentationTime -= start
    moved.decodeTime -= min(decodeTime, start)
    return moved
  }
}
