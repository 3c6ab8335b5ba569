internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import PhotoCapture
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

/// The facts that the daemon tells clients about itself, in GetServerInfo.
public struct ServerFacts: Sendable {
  /// The daemon's version.
  public var version: String
  /// The kernel's boot ID, which changes with each boot of the machine.
  public var bootID: String
  /// The random name of this run of the daemon. No other run has the same name.
  public var instanceID = RandomToken.make()
  /// The limits that the transports set for clients.
  public var server: ServerLimits
  /// Whether the daemon tries the machine's hardware encoders for video before others.
  public var usesHardwareEncoders: Bool
  /// How long automatic deferred start waits for readers: after this time from the camera's first frame it runs even if
  /// no reader has taken a frame.
  public var deferredStartLimit: Duration

  /// Makes the facts of this run of the daemon, with a new ``instanceID``.
  public init(
    version: String, bootID: String, server: ServerLimits, usesHardwareEncoders: Bool,
    deferredStartLimit: Duration
  ) {
    self.version = version
    self.bootID = bootID
    self.server = server
    self.usesHardwareEncoders = usesHardwareEncoders
    self.deferredStartLimit = deferredStartLimit
  }
}

extension ServerFacts {
  /// Describes the encodings that this machine can make, as far as the daemon knows without loading a codec.
  func describeEncodings(_ info: inout Firstlight_V1_ServerInfo) {
    info.videoEncoders = PreviewEncoding.videoEncoders(usingHardware: usesHardwareEncoders).map { encoder in
      .with {
        $0.encoding = .h264
        $0.name = encoder.name
        $0.hardware = encoder.isHardware
      }
    }
    info.previewEncodings = [.jpeg] + (info.videoEncoders.isEmpty ? [] : [.h264]) + [.uncompressed]
    info.photoEncodings = PhotoEncoding.available.map(\.proto)
  }

  /// The limits of the daemon, as GetServerInfo tells them.
  var limits: Firstlight_V1_ServerLimits {
    .with {
      $0.maxRequestBytes = UInt64(server.maximumRequestBytes)
      $0.maxSmallRequestBytes = UInt64(server.maximumSmallRequestBytes)
      $0.maxConnections = UInt32(server.maximumConnections)
      $0.maxConnectionsPerAddress = UInt32(server.maximumConnectionsPerAddress)
      $0.maxCalls = UInt32(server.maximumCalls)
      $0.maxCallsPerSecond = UInt32(server.maximumCallsPerSecond)
      $0.maxSessions = UInt32(SessionRegistry.maximumSessions)
      $0.maxPreviewOutputs = UInt32(1 + SessionConfiguration.maximumAdditionalPreviews)
      $0.maxMovieOutputs = UInt32(1 + SessionConfiguration.maximumAdditionalMovies)
      $0.maxVideoDataOutputs = UInt32(SessionConfiguration.maximumVideoData)
      $0.maxPreviewReaders = UInt32(PreviewOutput.maxReaders)
      $0.maxPreviewEncodings = UInt32(PreviewOutput.maxEncodings)
      $0.maxVideoDataReaders = UInt32(VideoDataOutput.maxReaders)
      $0.maxWaitingCaptures = UInt32(PhotoOutput.maxPending)
      $0.maxCaptureWatchers = UInt32(PhotoOutput.maxWatchers)
      $0.maxKeptCaptures = UInt32(CaptureStore.maxKept)
      $0.maxCallsPerConnection = UInt32(server.maximumCallsPerConnection)
      $0.maxKeptEvents = UInt32(EventLogCapacity.standard)
    }
  }
}

/// The limits of the transports that GetServerInfo tells clients.
public struct ServerLimits: Sendable {
  /// The largest request, in bytes, of a method with large requests. A longer request is refused.
  public var maximumRequestBytes: Int
  /// The largest request, in bytes, of any other method. A longer request is refused.
  public var maximumSmallRequestBytes: Int
  /// The largest number of connections at once.
  public var maximumConnections: Int
  /// The largest number of connections at once from one IPv4 address, or from one IPv6 network of 64 bits.
  public var maximumConnectionsPerAddress: Int
  /// The largest number of calls at once on the server.
  public var maximumCalls: Int
  /// The largest number of calls at once on one connection.
  public var maximumCallsPerConnection: Int
  /// The calls per second that one TCP connection may open on average, besides a burst of calls at once. 0 sets no
  /// limit.
  public var maximumCallsPerSecond: Int

  /// Makes limits from their values; the properties have the units.
  public init(
    maximumRequestBytes: Int, maximumSmallRequestBytes: Int, maximumConnections: Int, maximumConnectionsPerAddress: Int,
    maximumCalls: Int, maximumCallsPerConnection: Int, maximumCallsPerSecond: Int
  ) {
    self.maximumRequestBytes = maximumRequestBytes
    self.maximumSmallRequestBytes = maximumSmallRequestBytes
    self.maximumConnections = maximumConnections
    self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
    self.maximumCalls = maximumCalls
    self.maximumCallsPerConnection = maximumCallsPerConnection
    self.maximumCallsPerSecond = maximumCallsPerSecond
  }
}
