import CaptureCore
import Foundation
import HTTPTransport
import Logging
import RPCCore
import ServiceLifecycle
import Testing

/// A client of an HTTP server with the pages of a test, for what the server answers before a page runs.
struct HTTPVisitor {
  private let port: UInt16

  /// Runs `body` while a server serves pages and files.
  static func visit(
    pages: [HTTPPage], files: [HTTPFile], access: any AccessCheck, _ body: (HTTPVisitor) async throws -> Void
  ) async throws {
    var configuration = HTTPServerConfiguration(address: try #require(HTTPAddress("127.0.0.1:0")))
    configuration.drainTime = .zero
    configuration.keepsConnections = false
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = HTTPServer(configuration: configuration, pages: pages, files: files, access: access, logger: logger)
    let services = ServiceGroup(configuration: .init(services: [.init(service: server)], logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await services.run() }
      try await body(HTTPVisitor(port: UInt16(server.boundAddress.port)))
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
    }
  }

  /// Returns the whole answer to a request for `target`, head and body.
  func get(_ target: String) async throws -> String {
    try await WorkerThread.run(name: "visitor") { [port] in
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      let request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
      guard result == 0, send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { return "" }
      var (answer, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 4096))
      while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { answer += buffer.prefix(count) }
      return String(decoding: answer, as: UTF8.self)
    }
  }
}
