public import CaptureCore
public import CaptureSessions
public import FrameDelivery
public import Logging
public import MovieRecording
public import PhotoCapture
internal import VideoCoding

/// Makes the outputs of sessions. The outputs work on the objects that the services share.
public struct SessionOutputs: Sendable {
  private let readers: ReaderDirectory
  private let captures: any PhotoDestination
  private let recordings: Recordings
  private let memory: FrameMemory
  private let usesHardwareEncoders: Bool
  private let continuous: [String: ContinuousSettings]
  private let logger: Logger

  /// Makes no output yet.
  ///
  /// - Parameters:
  ///   - readers: gets every reader of an output, by its token.
  ///   - captures: gets the captures of all photo outputs.
  ///   - recordings: counts what movie outputs write, and takes what they record continuously.
  ///   - memory: holds the frames that video data outputs convert.
  ///   - usesHardwareEncoders: whether outputs try the machine's hardware encoders before others.
  ///   - continuous: how sessions record continuously, by their ids. Other sessions record when a client asks for it.
  ///   - logger: gets what movie outputs have to say.
  public init(
    readers: ReaderDirectory, captures: any PhotoDestination, recordings: Recordings, memory: FrameMemory = .process,
    usesHardwareEncoders: Bool, continuous: [String: ContinuousSettings] = [:], logger: Logger
  ) {
    self.readers = readers
    self.captures = captures
    self.recordings = recordings
    self.memory = memory
    self.usesHardwareEncoders = usesHardwareEncoders
    self.continuous = continuous
    self.logger = logger
  }

  /// Makes an output from its resolved configuration.
  public func make(_ output: ResolvedConfiguration.Output, _ context: any OutputContext) -> any CaptureOutput {
    switch output.kind {
    case .preview:
      PreviewOutput(id: output.id, context: context, directory: readers, usesHardwareEncoders: usesHardwareEncoders)
    case .photo(let photo):
      PhotoOutput(id: output.id, context: context, features: photo.features, destination: captures)
    case .videoData(let data):
      VideoDataOutput(
        id: output.id,
        settings: VideoDataSettings(pixelFormat: data.askedFormat, range: data.range, queueDepth: data.queueDepth),
        context: context, directory: readers, memory: memory)
    case .movie(let movie):
      makeMovieOutput(movie, id: output.id, context)
    }
  }

  /// Makes an output for movies. The main one of a session that records continuously does so by itself.
  private func makeMovieOutput(
    _ movie: ResolvedConfiguration.Movie, id: String, _ context: any OutputContext
  ) -> MovieOutput {
    let session = context.sessionID
    let settings = RecordingSettings(movie, allowsHardware: usesHardwareEncoders)
    let record = movie.isMain ? continuous[session] : nil
    return MovieOutput(
      id: id, session: session, context: context, settings: settings, counters: recordings.counters,
      continuous: record.map {
        recordings.recordContinuously($0, output: id, of: session, settings, logger: logger)
      }, logger: logger)
  }
}

extension RecordingSettings {
  /// The settings of recordings of a movie output.
  fileprivate init(_ movie: ResolvedConfiguration.Movie, allowsHardware: Bool) {
    self.init(codec: movie.codec, rate: movie.averageBitRate.map { .bitRate($0) } ?? .quality(movie.quality))
    (sound.codec, sound.bitRate) = (movie.audioCodec, movie.audioBitRate)
    pictures.allowsHardware = allowsHardware
    maximumPreRoll = movie.maxPreRoll
    usesVideoStorage = movie.usesVideoStorage
  }
}
