import GRPCTransport
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BackPressureTests {
  /// What one connection is asked for, and how far the writer may be ahead of it.
  struct Flood {
    var size: Int
    var streams = 1
    var receiveBuffer = wide
    var ahead: Int

    /// More than a writer may be ahead, by far.
    static let wide: Int32 = 16 << 20
    /// Less than a message, so that what nobody reads waits in the server's own kernel.
    static let narrow: Int32 = 64 << 10
  }

  @Test func writerWaitsForTheReader() async throws {
    let taken = Atomic(0)
    let count = 50
    // More than the HTTP/2 windows and the kernel's buffers hold together.
    let ahead = 20
    try await withServer { router in
      router.serverStreaming(.test("Flood", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        let message = Google_Protobuf_BytesValue.with { $0.value = .init(repeating: 1, count: 1 << 20) }
        for _ in 0..<count {
          try await writer.write(message)
          taken.add(1, ordering: .sequentiallyConsistent)
        }
      }
      router.unary(.test("Ping")) { (request: Text, _) in request }
    } body: { server in
      let client = server.client()
      let call = await client.start(.test("Flood"))
      try await call.send(Text())
      for read in 0..<count {
        // Round trips through the same server give the writer every chance to run ahead.
        for _ in 0..<3 { let _: Text = try await client.unary(.test("Ping"), Text()) }
        #expect(taken.load(ordering: .sequentiallyConsistent) <= read + ahead)
        #expect(await call.read() != nil)
      }
      #expect(await call.read() == nil)
      #expect(taken.load(ordering: .sequentiallyConsistent) == count)
    }
  }

  /// Its kernel takes megabytes for a process that is stopped, and acknowledges them. How many is fixed here: of a
  /// buffer that still grows, the server cannot see what nobody reads.
  @Test(
    .enabled(
      if: RawConnection.unconnected().setReceiveBuffer(Flood.wide), "needs a larger net.core.rmem_max, or root"),
    arguments: ["127.0.0.1:0", "[::1]:0"],
    [
      // Unread: a megabyte, and a message that is between two looks. In gRPC: a message, and a megabyte.
      Flood(size: 1 << 20, ahead: 6), Flood(size: 200 << 10, ahead: 14), Flood(size: 200 << 10, streams: 8, ahead: 14),
      // One that is in the reader's kernel but for an eighth.
      Flood(size: 1 << 20, receiveBuffer: Flood.narrow, ahead: 1),
    ])
  func writerDoesNotFillTheKernelOfAStoppedReader(address: String, flood: Flood) async throws {
    let taken = Atomic(0)
    let (size, streams) = (flood.size, flood.streams)
    let count = (100 << 20) / size / streams
    var configuration = GRPCServerConfiguration.test
    configuration.addresses = [address]
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Flood", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        let message = Google_Protobuf_BytesValue.with { $0.value = .init(repeating: 1, count: size) }
        for _ in 0..<count {
          try await writer.write(message)
          taken.add(1, ordering: .sequentiallyConsistent)
        }
      }
      router.unary(.test("Ping")) { (request: Text, _) in request }
    } body: { server in
      let port = try #require(server.addresses[0].split(separator: ":").last.flatMap { UInt16($0) })
      let isIPv6 = address.hasPrefix("[")
      let reader = RawConnection.unconnected(isIPv6: isIPv6)
      #expect(reader.setReceiveBuffer(flood.receiveBuffer))
      #expect(await reader.connect(port: port, isIPv6: isIPv6))
      #expect(await reader.send(RawHTTP2.calls(streams, path: MethodName.test("Flood").path)))
      // Reading is what makes the kernel offer all of it.
      var read = await reader.receive(atLeast: count / 2 * streams * size)
      let client = server.client()
      for _ in 0..<300 {
        let _: Text = try await client.unary(.test("Ping"), Text())
        #expect(taken.load(ordering: .sequentiallyConsistent) <= read / size + flood.ahead)
      }
      read += await reader.receive(atLeast: count * streams * size - read)
      #expect(read >= count * streams * size)
    }
  }

  @Test func secondWriteMeanwhileIsRefused() async throws {
    let refused = Signal<RPCError.Code>()
    try await withServer { router in
      router.serverStreaming(.test("Twice", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        let message = Google_Protobuf_BytesValue.with { $0.value = .init(repeating: 1, count: 1 << 20) }
        await withTaskGroup { group in
          // The client reads nothing, so whichever comes first is stuck and the other is refused.
          for _ in 0..<2 {
            group.addTask {
              do {
                while true { try await writer.write(message) }
              } catch let error as RPCError {
                refused.send(error.code)
              } catch {}
            }
          }
        }
      }
    } body: { server in
      let call = await server.client().start(.test("Twice"))
      try await call.send(Text())
      #expect(await refused.next() == .internal)
      call.cancel()
    }
  }
}
