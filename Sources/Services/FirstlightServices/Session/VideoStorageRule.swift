internal import CaptureCore
internal import CaptureSessions
internal import MovieRecording
internal import VideoStorage

/// Which sessions and writers may write into the video storage.
struct VideoStorageRule: Sendable {
  let storage: VideoStorage
  let recordings: Recordings

  /// Checks a configuration that a client asks for.
  ///
  /// - Parameter session: the id of the session; empty for one that gets an id later.
  /// - Throws: `videoStorageNotSupported`; `notSupportedInConfiguration` for the main movie output of a session that
  ///   records continuously.
  func check(_ configuration: SessionConfiguration, of session: String) async throws(CaptureError) {
    guard let first = configuration.movies.first(where: \.movie.usesVideoStorage) else { return }
    let field = "\(first.field).uses_pro_video_storage"
    try await checkSupport(field: field)
    guard configuration.movie?.usesVideoStorage != true || !recordings.recordsContinuously(session) else {
      throw CaptureError(
        .notSupportedInConfiguration,
        "Session \(session) records continuously, and the video storage takes one movie at a time; leave "
          + "uses_pro_video_storage out.", metadata: ["session": session], field: field)
    }
  }

  /// Checks the configuration of a writer.
  ///
  /// - Throws: `videoStorageNotSupported`.
  func check(_ configuration: WriterConfiguration) async throws(CaptureError) {
    guard configuration.usesVideoStorage else { return }
    try await checkSupport(field: "writer_configuration.uses_pro_video_storage")
  }

  private func checkSupport(field: String) async throws(CaptureError) {
    guard let reason = await storage.state.unsupportedReason else { return }
    throw CaptureError(.videoStorageNotSupported, reason, field: field)
  }
}
