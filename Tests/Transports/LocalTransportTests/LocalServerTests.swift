import CLocalSocket
import CaptureCore
import Foundation
import Logging
import Testing

@testable import LocalTransport

/// Local clients get frames through shared memory over a Unix socket, which only the daemon's own user may open.
@Suite struct LocalServerTests {
  /// Only processes of the daemon's own user may connect.
  @Test func onlyTheDaemonsOwnUserIsServed() {
    #expect(LocalServer.isAllowed(1000, of: 1000))
    #expect(!LocalServer.isAllowed(1001, of: 1000))
    #expect(!LocalServer.isAllowed(0, of: 1000), "root is refused, because root can become the daemon's user")
  }

  /// When the server cannot listen on a path, the error names the path.
  @Test func errorNamesAnUnusablePath() {
    let long = "/tmp/" + String(repeating: "x", count: 200)
    for path in ["/nowhere/at/all", long] {
      let error = #expect(throws: CaptureError.self) { try LocalServer(path: path, logger: Logger(label: "test")) }
      #expect(error?.metadata["local_socket"] == path)
    }
  }

  /// The memory of a shared slab exists as soon as the pool hands it out. Memory that is missing is then an error of
  /// the pool, and not a crash when a frame is written.
  @Test func slabMemoryIsAllocatedAtOnce() throws {
    let pool = FramePool(budget: 16 << 20, memory: .shared)
    let buffer = try #require(take(pool, 16 << 20))
    var status = stat()
    #expect(try fstat(#require(buffer.slab.descriptor), &status) == 0)
    #expect(Int(status.st_blocks) * 512 >= buffer.slab.capacity)
  }

  /// When the listening socket breaks, the server logs an error and goes on to serve the clients that are connected.
  /// The time limit of the test only ends a broken test.
  @Test(.timeLimit(.minutes(1))) func connectedClientsAreServedAfterTheListenerBreaks() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
    let (errors, log) = AsyncStream<Void>.makeStream()
    let server = try LocalServer(path: path, logger: Logger(label: "test") { _ in ErrorTeller(log: log) })
    let (served, serve) = AsyncStream<Void>.makeStream()
    let running = Task {
      await server.run { connection in
        serve.yield()
        try? connection.start(onPacket: { _ = connection.send($0) }, onEnd: {})
        // The handler goes on until the server cancels it.
        for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(3600)) }) {}
      }
    }
    let program = try Program(path)
    var connected = served.makeAsyncIterator()
    await connected.next()
    CLocalSocket_shut_down(server.listener)
    var told = errors.makeAsyncIterator()
    await told.next()
    #expect(program.echo([1, 2, 3]) == [1, 2, 3])
    running.cancel()
    await running.value
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  /// A pool of shared memory hands out each slab with its own descriptor, is empty when its budget is used up, and uses
  /// a slab again after the slab's frame is freed.
  @Test func poolsOfSharedMemoryReuseTheirSlabs() throws {
    let pool = FramePool(budget: 8192, memory: .shared)
    var first = take(pool)
    let number = try #require(first?.slab.number)
    #expect(first?.slab.descriptor != nil)
    let second = take(pool)
    #expect(second != nil && second?.slab.number != number)
    #expect(second?.slab.descriptor != first?.slab.descriptor)
    #expect(take(pool) == nil)
    #expect(second?.isFrom(pool) == true && second?.isFrom(FramePool(budget: 0)) == false)
    first = nil
    #expect(take(pool)?.slab.number == number)
  }

  /// Takes a slab of `pool`. Returns nil when the pool's budget is used up.
  private func take(_ pool: FramePool, _ count: Int = 4096) -> FrameBuffer? {
    guard let memory = pool.take(count) else { return nil }
    return memory.freeze(count: count)
  }
}

/// The client's end of a connection to the server.
private final class Program {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(result == 0)
  }

  deinit { close(descriptor) }

  /// Sends a packet and returns the packet that the server sends back. Returns no bytes when the server has closed the
  /// connection.
  func echo(_ packet: [UInt8]) -> [UInt8] {
    var answer = [UInt8](repeating: 0, count: 16)
    guard send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count else { return [] }
    let count = recv(descriptor, &answer, answer.count, 0)
    return Array(answer.prefix(max(0, count)))
  }
}

/// A log that reports each logged error to the test.
private struct ErrorTeller: LogHandler {
  let log: AsyncStream<Void>.Continuation
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.error

  init(log: AsyncStream<Void>.Continuation) { self.log = log }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { log.yield() }
}
