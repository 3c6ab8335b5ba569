internal import CaptureCore
internal import FirstlightAPI
public import GRPCTransport
internal import FrameDelivery
internal import SwiftProtobuf

/// What a daemon tells about itself.
public struct ServerFacts: Sendable {
  /// The daemon's version.
  public var version: String
  /// The kernel's boot id.
  public var bootID: String
  /// Names this run of the daemon.
  public var instanceID = RandomToken.make()
  /// Limits of the transport.
  public var server: GRPCServerConfiguration
  /// Whether video is encoded by the machine's own encoders where they open.
  public var usesHardwareEncoders: Bool
  /// How long automatic deferred start waits for readers.
  public var deferredStartLimit: Duration

  public init(
    version: String, bootID: String, server: GRPCServerConfiguration, usesHardwareEncoders: Bool,
    deferredStartLimit: Duration
  ) {
    self.version = version
    self.bootID = bootID
    self.server = server
    self.usesHardwareEncoders = usesHardwareEncoders
    self.deferredStartLimit = deferredStartLimit
  }
}

/// ServerService.
public struct ServerHandlers: Sendable {
  private static let serviceName = "firstlight.v1.ServerService"

  private let facts: ServerFacts

  public init(facts: ServerFacts) { self.facts = facts }

  /// Adds the method. To be called after every other service but reflection: it tells which services there are by then.
  public func register(on router: inout RPCRouter) {
    let services = (router.services + ReflectionService.names + [Self.serviceName]).sorted()
    router.unary(MethodDescriptor(service: Self.serviceName, method: "GetServerInfo")) {
      [facts] (_: Firstlight_V1_GetServerInfoRequest, _) -> Firstlight_V1_GetServerInfoResponse in
      .with { $0.serverInfo = facts.info(services) }
    }
  }
}

extension ServerFacts {
  fileprivate func info(_ services: [String]) -> Firstlight_V1_ServerInfo {
    let monotonic = SystemClock.monotonicNanoseconds()
    return .with {
      $0.version = version
      $0.bootID = bootID
      $0.instanceID = instanceID
      $0.monotonicTimeNs = monotonic
      $0.wallTime = .init(wallNanoseconds: WallClock().wallNanoseconds(atMonotonic: monotonic))
      $0.services = services
      describeEncodings(&$0)
      $0.limits = limits
      $0.deferredStartLimit = .init(deferredStartLimit)
    }
  }
}
