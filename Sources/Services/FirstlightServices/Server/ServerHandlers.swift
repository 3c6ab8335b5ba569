internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

/// The handler of ServerService's only method, GetServerInfo.
struct ServerHandlers: Sendable {
  private let facts: ServerFacts

  init(facts: ServerFacts) { self.facts = facts }

  /// Adds the method to `router`. The caller must have added every other service but reflection before, because the
  /// method tells clients the services that the router has now, besides reflection and ServerService itself.
  func register(on router: inout RPCRouter) {
    let services = (router.services + ReflectionService.names + [Firstlight_V1_ServerService.serviceName]).sorted()
    router.unary(Firstlight_V1_ServerService.getServerInfo) {
      [facts] (_: Firstlight_V1_GetServerInfoRequest, _) -> Firstlight_V1_GetServerInfoResponse in
      .with { $0.serverInfo = facts.info(services) }
    }
  }
}

extension ServerFacts {
  fileprivate func info(_ services: [String]) -> Firstlight_V1_ServerInfo {
    let now = MonotonicInstant.now()
    return .with {
      $0.version = version
      $0.bootID = bootID
      $0.instanceID = instanceID
      $0.monotonicTimeNs = now.nanoseconds
      $0.wallTime = .init(WallClock.shared.wallInstant(at: now))
      $0.services = services
      describeEncodings(&$0)
      $0.limits = limits
      $0.deferredStartLimit = .init(deferredStartLimit)
    }
  }
}
