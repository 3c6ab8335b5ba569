import Logging
import NIOCore
import RPCCore
import RPCTestKit
import ServiceLifecycle
import Testing

@testable import HTTPTransport

/// Event loops outlive the servers that used them.
struct EventLoopsTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// A thread that brings a picture may hold the connection of a server that has ended, and gives it work.
  @Test func theLoopOfAServerThatEndedStillTakesWork() async throws {
    var configuration = HTTPServerConfiguration(address: try #require(HTTPAddress("127.0.0.1:0")))
    configuration.drainTime = .zero
    let server = HTTPServer(configuration: configuration, pages: [], access: Anybody(), logger: logger)
    let services = ServiceGroup(configuration: .init(services: [.init(service: server)], logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await services.run() }
      _ = try await server.boundAddress
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
    }
    // The next server takes the thread over.
    let loops = EventLoops.borrow()
    defer { EventLoops.giveBack(loops) }
    #expect(try await loops.next().submit { 7 }.get() == 7)
  }
}
