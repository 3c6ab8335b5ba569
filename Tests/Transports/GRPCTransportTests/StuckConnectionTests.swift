import Foundation
import GRPCTransport
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization
import Testing

/// In these tests the server is writing a message to a client that does not read any more, and the kernels of both
/// sides have no room for the rest of the message. gRPC would hold on to such a connection until a ping is missed, two
/// minutes later.
@Suite(.timeLimit(.minutes(1)))
struct StuckConnectionTests {
  /// Whether the connection is over a Unix socket: no, yes.
  static let transports = [false, true]

  /// A server that shuts down ends within its drain time, although a connection is stuck. The daemon could otherwise
  /// not be restarted for two minutes.
  @Test(arguments: transports)
  func stuckConnectionDoesNotDelayShutdown(isLocal: Bool) async throws {
    try await withStuckConnection(isLocal: isLocal) { _, _ in }
  }

  /// When the client closes its sending direction, the server cancels the connection's calls, although a write is
  /// stuck. The call's resources would otherwise be in use until a ping is missed.
  @Test(arguments: transports)
  func callsEndWhenTheClientStopsSending(isLocal: Bool) async throws {
    try await withStuckConnection(isLocal: isLocal) { connection, call in
      #expect(!call.hasEnded)
      connection.endSending()
      #expect(await call.ended.next() != nil)
    }
  }

  /// Tells the test when the handler has ended.
  private final class Call: Sendable {
    let ended = Signal<Void>()
    private let over = Atomic(false)
    var hasEnded: Bool { over.load(ordering: .sequentiallyConsistent) }

    func end() {
      over.store(true, ordering: .sequentiallyConsistent)
      ended.send()
    }
  }

  /// Runs `body` while a handler writes 32 MiB to a client that has read only the first megabyte.
  private func withStuckConnection(
    isLocal: Bool, body: @escaping @Sendable (RawConnection, _ call: Call) async throws -> Void
  ) async throws {
    let call = Call()
    let path = RawConnection.temporaryPath()
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = [isLocal ? "unix:\(path)" : "127.0.0.1:0"]
    configuration.drainTimeout = .milliseconds(50)
    let connection = isLocal ? RawConnection.unconnectedLocal() : .unconnected()
    #expect(connection.setReceiveBuffer(64 << 10))
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Large", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        defer { call.end() }
        try await writer.write(.with { $0.value = Data(count: 32 << 20) })
      }
    } body: { server in
      if isLocal {
        #expect(await connection.connect(path: path))
      } else {
        let port = server.port
        #expect(await connection.connect(port: port))
      }
      #expect(await connection.send(RawHTTP2.calls(1, path: MethodName.test("Large").path)))
      #expect(await connection.receive(atLeast: 1 << 20) >= 1 << 20)
      try await body(connection, call)
    }
    // The connection must stay open until here, because the server's write would not be stuck without it.
    withExtendedLifetime(connection) {}
  }
}
