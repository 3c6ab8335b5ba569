internal import CaptureCore
internal import CaptureSessions

extension CaptureSession {
  /// The output called `id`; with an empty id the only one of its kind, or the main preview. Waits until a session that is being
  /// created is configured.
  ///
  /// - Parameter field: of the request, that `id` is from.
  /// - Throws: `outputNotFound`, or why the session ended.
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
