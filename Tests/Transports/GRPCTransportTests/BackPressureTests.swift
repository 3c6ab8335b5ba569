import GRPCTransport
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization
import Testing

/// A write of a handler ends only when the client has read most of what was written before. A slow reader therefore
/// gets the newest frame and not one that has waited for seconds.
@Suite(.timeLimit(.minutes(1)))
struct BackPressureTests {
  /// The messages that one connection is asked for, and how many messages the handler may write more than the client
  /// has read.
  struct Flood {
    /// The size of a message in bytes.
    var size: Int
    /// The number of calls that write at once.
    var streams = 1
    /// The size of the client's receive buffer in bytes.
    var receiveBuffer = wide
    /// The number of messages that may be written and not read.
    var ahead: Int

    /// A receive buffer that could hold far more than a handler may write ahead.
    static let wide: Int32 = 16 << 20
    /// A receive buffer smaller than a message, so that unread bytes wait in the server's own kernel.
    static let narrow: Int32 = 64 << 10
  }

  /// With a gRPC client, a handler that writes as fast as it can is never more than 20 messages of a megabyte ahead of
  /// a client that reads slowly.
  @Test func writerWaitsForTheReader() async throws {
    let taken = Atomic(0)
    let count = 50
    // The HTTP/2 windows and the kernels' buffers together hold less than this number of messages.
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
        // The round trips to the same server give the handler every chance to write ahead.
        for _ in 0..<3 { let _: Text = try await client.unary(.test("Ping"), Text()) }
        #expect(taken.load(ordering: .sequentiallyConsistent) <= read + ahead)
        #expect(await call.read() != nil)
      }
      #expect(await call.read() == nil)
      #expect(taken.load(ordering: .sequentiallyConsistent) == count)
    }
  }

  /// A handler does not write ahead when the client's process is stopped, although the client's kernel takes megabytes
  /// for the process and acknowledges them. The test fixes the size of the client's receive buffer, because the server
  /// cannot tell how much of a buffer that still grows is unread.
  @Test(
    .enabled(
      if: RawConnection.unconnected().setReceiveBuffer(Flood.wide), "needs a larger net.core.rmem_max, or root"),
    arguments: ["127.0.0.1:0", "[::1]:0"],
    [
      // A megabyte and one message between two looks may be unread in the client's kernel, and another message and a
      // megabyte may be in gRPC.
      Flood(size: 1 << 20, ahead: 6), Flood(size: 200 << 10, ahead: 14), Flood(size: 200 << 10, streams: 8, ahead: 14),
      // One message may be in the client's kernel except for an eighth.
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
      // The kernel offers the whole buffer only after the client has read a lot.
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

  /// A handler that writes twice at the same time gets an error from the second write. The order of the two messages
  /// would otherwise be undefined.
  @Test func secondWriteAtTheSameTimeIsRefused() async throws {
    let refused = Signal<RPCError.Code>()
    try await withServer { router in
      router.serverStreaming(.test("Twice", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        let message = Google_Protobuf_BytesValue.with { $0.value = .init(repeating: 1, count: 1 << 20) }
        await withTaskGroup { group in
          // The client reads nothing, so the write that comes first does not end, and the other one is refused.
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
