internal import CaptureCore
internal import CaptureSessions

extension CaptureSession {
  /// Returns the output called `id`. An empty `id` means the session's only output of this kind or, where the session
  /// has several previews, the main preview. Waits until a session that is being created has its configuration.
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
    guard id.isEmpty else {
      throw CaptureError(
        .outputNotFound, "Session \(self.id) has no \(noun) output \(id).",
        metadata: ["session": self.id, "output": id], field: field)
    }
    let main = found.filter { $0.0.isMainPreview }
    if let only = found.count == 1 ? found.first : main.count == 1 ? main.first : nil { return only.1 }
    let names = found.map(\.0.id).joined(separator: ", ")
    throw CaptureError(
      .outputNotFound,
      found.isEmpty
        ? "Session \(self.id) has no \(noun) output; configure one."
        : "Session \(self.id) has several \(noun) outputs; name one of: \(names).",
      metadata: ["session": self.id, "output": id, "outputs": names], field: found.isEmpty ? nil : field)
  }
}
