internal import CaptureCore
internal import CaptureSessions

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
