import CLocalSocket
import CaptureCore
import Logging
import Testing

@testable import LocalTransport

@Suite struct LocalServerTests {
  @Test func onlyTheDaemonsOwnUserIsServed() {
    #expect(LocalServer.isAllowed(1000, of: 1000))
    #expect(!LocalServer.isAllowed(1001, of: 1000))
    #expect(!LocalServer.isAllowed(0, of: 1000), "root can become that user")
  }

  @Test func aPathThatCannotBeIsNamed() {
    let long = "/tmp/" + String(repeating: "x", count: 200)
    for path in ["/nowhere/at/all", long] {
      let error = #expect(throws: CaptureError.self) { try LocalServer(path: path, logger: Logger(label: "test")) }
      #expect(error?.metadata["local_socket"] == path)
    }
  }

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

  /// A full slab of `pool`; nil when it is used up.
  private func take(_ pool: FramePool) -> FrameBuffer? {
    guard let memory = pool.take(4096) else { return nil }
    return memory.freeze(count: 4096)
  }
}
