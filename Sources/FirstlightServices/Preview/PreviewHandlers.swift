internal import CaptureCore
internal import CaptureSession
internal import FirstlightAPI
internal import GRPCTransport
internal import Preview

/// PreviewService: one file per method beside this one.
struct PreviewHandlers: Sendable {
  let sessions: SessionRegistry
  let readers: PreviewReaderDirectory

  func register(on router: inout RPCRouter) {
    func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: "firstlight.v1.PreviewService", method: name)
    }
    router.serverStreaming(method("StreamPreview"), streamPreview)
    router.unary(method("AcknowledgeFrames"), acknowledgeFrames)
  }
}

extension CaptureSession {
  /// The output called `id`, or with an empty id the only one of its kind.
  ///
  /// - Throws: `outputNotFound`.
  func output<Output: CaptureOutput>(_ id: String, as kind: Output.Type, named noun: String) throws(CaptureError)
    -> Output
  {
    let outputs = allOutputs().compactMap { $0 as? Output }
    if let found = id.isEmpty ? outputs.first : outputs.first(where: { $0.id == id }) { return found }
    throw CaptureError(
      .outputNotFound,
      id.isEmpty
        ? "Session \(self.id) has no \(noun) output; configure one."
        : "Session \(self.id) has no \(noun) output \(id).",
      metadata: ["session": self.id, "output": id], field: id.isEmpty ? nil : "output")
  }
}
