internal import CaptureCore
internal import CaptureSessions
internal import MovieRecording
internal import VideoStorage

/// Which sessions may record into the video storage.
struct VideoStorageRule: Sendable {
  let storage: VideoStorage
  let recordings: Recordings

  /// Checks a configuration that a client asks for.
  ///
  /// - Parameter session: the id of the session; empty for one that gets an id later.
  /// - Throws: `videoStorageNotSupported`; `notSupportedInConfiguration` for a session that records continuously.
  func check(_ configuration: SessionConfiguration, of session: String) async throws(CaptureError) {
    guard configuration.movie?.usesVideoStorage == true else { return }
    let field = "configuration.movie.uses_pro_video_storage"
    if let reason = await storage.state.unsupportedReason {
      throw CaptureError(.videoStorageNotSupported, reason, field: field)
    }
    guard !recordings.recordsContinuously(session) else {
      throw CaptureError(
        .notSupportedInConfiguration,
        "Session \(session) records continuously, and the video storage takes one movie at a time; leave "
          + "uses_pro_video_storage out.", metadata: ["session": session], field: field)
    }
  }
}
