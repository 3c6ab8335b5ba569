internal import CaptureCore
internal import FirstlightAPI
internal import GRPCTransport
internal import SwiftProtobuf

/// ServerService.
struct ServerHandlers: Sendable {
  let version: String
  let bootID: String

  func register(on router: inout RPCRouter) {
    router.unary(MethodDescriptor(service: "firstlight.v1.ServerService", method: "GetServerInfo"), getServerInfo)
  }

  func getServerInfo(
    _ request: Firstlight_V1_GetServerInfoRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetServerInfoResponse {
    let monotonic = SystemClock.monotonicNanoseconds()
    return .with {
      $0.serverInfo = .with {
        $0.version = version
        $0.bootID = bootID
        $0.monotonicTimeNs = monotonic
        $0.wallTime = .init(wallNanoseconds: WallClock().wallNanoseconds(atMonotonic: monotonic))
      }
    }
  }
}
