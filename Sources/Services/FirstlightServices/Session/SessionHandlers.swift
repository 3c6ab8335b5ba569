internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import GRPCTransport

/// SessionService: one file per method beside this one.
struct SessionHandlers: Sendable {
  let sessions: SessionRegistry

  func register(on router: inout RPCRouter) {
    func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: "firstlight.v1.SessionService", method: name)
    }
    router.unary(method("CreateSession"), createSession)
    router.unary(method("GetSession"), getSession)
    router.unary(method("ListSessions"), listSessions)
    router.unary(method("DeleteSession"), deleteSession)
    router.unary(method("ConfigureSession"), configureSession)
    router.unary(method("StartSession"), startSession)
    router.unary(method("StopSession"), stopSession)
    router.unary(method("RunDeferredStart"), runDeferredStart)
    router.serverStreaming(method("WatchSession"), watchSession)
    router.unary(method("GetLaunchTimeline"), getLaunchTimeline)
    router.unary(method("SuggestLowerCost"), suggestLowerCost)
  }
}

extension SessionRegistry {
  /// The session with the resource name `name`, found in the request's field `field`.
  func session(named name: String, field: String) throws(CaptureError) -> CaptureSession {
    try session(try ResourceName.id(in: name, "sessions", field: field))
  }

  /// The same, with patience for one that is just being created: see ``expectedSession(_:)``.
  func expectedSession(named name: String, field: String) async throws(CaptureError) -> CaptureSession {
    try await expectedSession(try ResourceName.id(in: name, "sessions", field: field))
  }
}
