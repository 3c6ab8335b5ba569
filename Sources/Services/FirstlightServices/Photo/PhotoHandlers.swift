internal import CaptureSessions
internal import GRPCTransport
internal import PhotoCapture

/// PhotoService: one file per method beside this one.
struct PhotoHandlers: Sendable {
  let sessions: SessionRegistry
  let captures: CaptureStore

  func register(on router: inout RPCRouter) {
    func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: "firstlight.v1.PhotoService", method: name)
    }
    router.serverStreaming(method("CapturePhoto"), capturePhoto)
    router.unary(method("GetCapture"), getCapture)
    router.unary(method("ListCaptures"), listCaptures)
    router.serverStreaming(method("DownloadCapture"), downloadCapture)
    router.serverStreaming(method("WatchReadiness"), watchReadiness)
    router.unary(method("StartTrackingCapture"), startTrackingCapture)
    router.unary(method("StopTrackingCapture"), stopTrackingCapture)
    router.serverStreaming(method("WatchCaptures"), watchCaptures)
    router.unary(method("PreparePhotoSettings"), preparePhotoSettings)
  }

  /// - Parameter session: `sessions/{id}`.
  func photoOutput(of session: String) async throws -> (CaptureSession, PhotoOutput) {
    let session = try await sessions.session(named: session, field: "session")
    return (session, try await session.output("", as: PhotoOutput.self, named: "photo"))
  }
}
