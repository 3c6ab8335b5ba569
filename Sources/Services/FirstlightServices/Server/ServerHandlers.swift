internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

/// The handler of ServerService's only method, GetServerInfo.
struct ServerHandlers: ServerServiceHandler {
  private let facts: ServerFacts
  private let services: [String]

  /// Makes the handler.
  ///
  /// - Parameters:
  ///   - facts: what clients are told.
  ///   - others: the names of the other services, without reflection.
  init(facts: ServerFacts, besides others: [String]) {
    self.facts = facts
    services = (others + ReflectionService.names + [Firstlight_V1_ServerService.serviceName]).sorted()
  }

  func getServerInfo(
    _ request: Firstlight_V1_GetServerInfoRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetServerInfoResponse {
    .with { $0.serverInfo = facts.info(services) }
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
