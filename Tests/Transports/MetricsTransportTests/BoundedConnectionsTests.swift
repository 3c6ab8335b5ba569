import NIOCore
import NIOEmbedded
import Testing

@testable import MetricsTransport

@Suite struct BoundedConnectionsTests {
  private let loop = EmbeddedEventLoop()

  private func channel(in connections: BoundedConnections) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    connections.admit(channel, for: .seconds(10))
    return channel
  }

  @Test func oneTooManyClosesTheOldest() throws {
    let connections = BoundedConnections(maximum: 2)
    let channels = try (0..<4).map { _ in try channel(in: connections) }
    loop.run()
    #expect(channels.map(\.isActive) == [false, false, true, true])
    #expect(connections.count == 2)
  }

  @Test func eachIsClosedAfterAWhile() throws {
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
