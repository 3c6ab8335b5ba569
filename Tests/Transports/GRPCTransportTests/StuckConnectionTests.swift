import Foundation
import GRPCTransport
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization
import Testing

/// A message is on its way to a process that reads no more, and neither kernel has room for the rest of it.
@Suite(.timeLimit(.minutes(1)))
struct StuckConnectionTests {
  static let transports = [false, true]

  @Test(arguments: transports)
  func doesNotHoldUpTheEnd(isLocal: Bool) async throws {
    try await withStuckConnection(isLocal: isLocal) { _, _ in }
  }

  @Test(arguments: transports)
  func endsItsCallsWhenItSendsNoMore(isLocal: Bool) async throws {
    try await withStuckConnection(isLocal: isLocal) { connection, call in
      #expect(!call.hasEnded)
      connection.endSending()
      #expect(await call.ended.next() != nil)
    }
  }

  private final class Call: Sendable {
    let ended = Signal<Void>()
    private let over = Atomic(false)
    var hasEnded: Bool { over.load(ordering: .sequentiallyConsistent) }

    func end() {
      over.store(true, ordering: .sequentiallyConsistent)
      ended.send()
    }
  }

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
    // Until here: without it nothing is stuck.
    withExtendedLifetime(connection) {}
  }
}
