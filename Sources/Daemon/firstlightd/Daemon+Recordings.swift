internal import CaptureCore
internal import CaptureSessions
internal import MovieRecording
internal import VideoCoding

extension Daemon {
  /// Opens the folder of recordings on a thread of its own, while the daemon starts.
  func makeRecordings() -> Recordings {
    let path = configuration.folders.recordings ?? configuration.folders.data + "/recordings"
    return Recordings { [logger] in
      do throws(CaptureError) {
        return try await WorkerThread.run(name: "recordings") {
          Result { () throws(CaptureError) in try RecordingStore(folder: path, logger: logger) }
        }
      } catch { return .failure(error) }
    }
  }
}

extension RecordingSettings {
  /// The settings of recordings of a movie output.
  init(_ movie: ResolvedConfiguration.Movie, allowsHardware: Bool) {
    self.init(codec: movie.codec, rate: movie.averageBitRate.map { .bitRate($0) } ?? .quality(movie.quality))
    self.allowsHardware = allowsHardware
  }
}
