internal import CaptureCore
internal import CaptureSessions
internal import MovieRecording
internal import VideoStorage

extension CaptureSession {
  /// Returns the output called `id`. An empty `id` means the session's only output of this kind or, where the session
  /// has several, the main one. Waits until a session that is being created has its configuration.
  ///
  /// - Parameters:
  ///   - kind: the type of the output.
  ///   - noun: the name of this kind of output in error messages, such as "video data".
  ///   - field: the request's field that contains `id`.
  /// - Throws: `outputNotFound` when the session has no such output, or has several and `id` is empty; the error that
  ///   the session ended with, when it ended meanwhile.
  func output<Output: CaptureOutput>(
    _ id: String, as kind: Output.Type, named noun: String, field: String = "output"
  ) async throws(CaptureError) -> Output {
    try await awaitCreation()
    let found = configuredOutputs().compactMap { configuration, output in
      (output as? Output).map { (configuration, $0) }
    }
    if let named = found.first(where: { $0.0.id == id }) { return named.1 }
    let main = found.filter { $0.0.isMain }
    if id.isEmpty, let only = found.count == 1 ? found.first : main.count == 1 ? main.first : nil { return only.1 }
    throw .notFound(id, named: noun, field: field, in: self.id, has: found.map(\.0.id))
  }
}

extension CaptureError {
  /// - Parameter outputs: the ids of the outputs of this kind that the session has.
  fileprivate static func notFound(
    _ id: String, named noun: String, field: String, in session: String, has outputs: [String]
  ) -> Self {
    let names = outputs.joined(separator: ", ")
    let message =
      if outputs.isEmpty {
        "Session \(session) has no \(noun) output; configure one."
      } else if id.isEmpty {
        "Session \(session) has several \(noun) outputs; name one of: \(names)."
      } else {
        "Session \(session) has no \(noun) output \(id); name one of: \(names)."
      }
    return CaptureError(
      .outputNotFound, message, metadata: ["session": session, "output": id, "outputs": names],
      field: id.isEmpty && outputs.isEmpty ? nil : field)
  }
}

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
