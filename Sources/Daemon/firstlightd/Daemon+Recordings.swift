internal import CaptureCore
internal import CaptureSessions
internal import MovieRecording
internal import VideoStorage

extension Daemon {
  /// The folder of recordings, on whose file system the temporary files of delayed feeds lie too.
  var recordingsFolder: String { configuration.folders.recordings ?? configuration.folders.data + "/recordings" }

  /// Opens the folder of recordings on a thread of its own, while the daemon starts. Deletes what the sessions do not
  /// keep of their continuous recordings. The video storage opens first, so that it is known which recording has its
  /// movie there.
  func makeRecordings(_ videoStorage: VideoStorage) -> Recordings {
    let path = recordingsFolder
    let kept = (configuration.declared.sessions ?? []).compactMap { session in
      session.record.map { (session.id, $0.retention) }
    }
    let counters = RecordingCounters()
    return Recordings(counters: counters, videoStorage: videoStorage) { [logger] in
      _ = await videoStorage.state
      do throws(CaptureError) {
        return try await WorkerThread.run(name: "recordings") {
          Result { () throws(CaptureError) in
            let store = try RecordingStore(
              folder: path, logger: logger, counters: counters, boot: BootID.read(), videoStorage: videoStorage)
            for (session, retention) in kept { store.retain(retention, of: session) }
            return store
          }
        }
      } catch { return .failure(error) }
    }
  }

  /// Opens the video storage on a thread of its own, while the daemon starts.
  func makeVideoStorage() -> VideoStorage {
    VideoStorage(
      folder: configuration.folders.videoStorage ?? configuration.folders.data + "/video-storage",
      capacity: configuration.videoStorageCapacity, logger: logger)
  }

  /// Checks that the sessions of the configuration file can have the video storage that they use.
  ///
  /// - Throws: ``ConfigurationProblem``.
  func check(_ videoStorage: VideoStorage) async throws {
    let users = (configuration.declared.sessions ?? []).flatMap { session in
      session.configuration.movies.filter(\.movie.usesVideoStorage).map { (session: session.id, field: $0.field) }
    }
    guard let user = users.first, let reason = await videoStorage.state.unsupportedReason else { return }
    throw DeclaredSession.problem(user.session, "\(user.field).uses_pro_video_storage", "cannot be true: \(reason)")
  }
}
