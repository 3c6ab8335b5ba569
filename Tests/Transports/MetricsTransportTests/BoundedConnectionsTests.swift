import NIOCore
import NIOEmbedded
import Testing

@testable import MetricsTransport

/// The number of connections to the metrics page and the life of each are limited, so that clients of the page cannot
/// use up the daemon's descriptors.
@Suite struct BoundedConnectionsTests {
  private let loop = EmbeddedEventLoop()

  /// Connects a channel and adds it to `connections`, where it may stay for 10 seconds.
  private func channel(in connections: BoundedConnections) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    connections.admit(channel, for: .seconds(10))
    return channel
  }

  /// When one connection too many is added, the oldest one is closed.
  @Test func surplusConnectionClosesTheOldest() throws {
    let connections = BoundedConnections(maximum: 2)
    let channels = try (0..<4).map { _ in try channel(in: connections) }
    loop.run()
    #expect(channels.map(\.isActive) == [false, false, true, true])
    #expect(connections.count == 2)
  }

  /// Each connection is closed 10 seconds after it was added, whatever its client does.
  @Test func connectionsAreClosedAfterTheirTime() throws {
    let connections = BoundedConnections(maximum: 2)
    let early = try channel(in: connections)
    loop.advanceTime(by: .seconds(6))
    let late = try channel(in: connections)
    loop.advanceTime(by: .seconds(5))
    #expect([early.isActive, late.isActive] == [false, true])
    loop.advanceTime(by: .seconds(5))
    #expect(!late.isActive)
    #expect(connections.count == 0)
  }
}
