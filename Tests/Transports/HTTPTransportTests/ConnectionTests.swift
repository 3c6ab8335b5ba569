import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPTransport

/// The number of connections and, where the server says so, the life of each are limited, so that clients cannot use up
/// the daemon's descriptors.
struct ConnectionTests {
  private let loop = EmbeddedEventLoop()

  /// A connection to a server with two connections, where each may stay for 10 seconds.
  private func channel(in connections: HTTPConnections) throws -> EmbeddedChannel {
    var configuration = HTTPServerConfiguration(address: try #require(HTTPAddress("127.0.0.1:0")))
    configuration.maximumConnectionTime = .seconds(10)
    let channel = EmbeddedChannel(loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.pipeline.syncOperations.addHandler(
      ConnectionHandler(connections: connections, configuration: configuration))
    return channel
  }

  @Test func aSurplusConnectionClosesTheOldest() throws {
    let connections = HTTPConnections(maximum: 2)
    let channels = try (0..<4).map { _ in try channel(in: connections) }
    loop.run()
    #expect(channels.map(\.isActive) == [false, false, true, true])
  }

  @Test func aConnectionWithARequestDoesNotGiveWay() throws {
    let connections = HTTPConnections(maximum: 2)
    var channels = try (0..<2).map { _ in try channel(in: connections) }
    connections.set(channels[0], isBusy: true)
    channels.append(try channel(in: connections))
    loop.run()
    #expect(channels.map(\.isActive) == [true, false, true])
    connections.set(channels[2], isBusy: true)
    channels.append(try channel(in: connections))
    loop.run()
    #expect(channels.map(\.isActive) == [true, false, true, false])
  }

  @Test func connectionsAreClosedAfterTheirTime() throws {
    let connections = HTTPConnections(maximum: 2)
    let early = try channel(in: connections)
    loop.advanceTime(by: .seconds(6))
    let late = try channel(in: connections)
    loop.advanceTime(by: .seconds(5))
    #expect([early.isActive, late.isActive] == [false, true])
    loop.advanceTime(by: .seconds(5))
    #expect(!late.isActive)
  }
}
