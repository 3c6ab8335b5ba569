import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// Each of the four kinds of RPC works between a gRPC client and a handler.
struct CallKindTests {
  /// One request gets one response.
  @Test func unary() async throws {
    try await withServer { router in
      router.unary(.test("Echo")) { (request: Text, _) in Text("echo \(request.value)") }
    } body: { server in
      let response: Text = try await server.client().unary(.test("Echo"), Text("a"))
      #expect(response.value == "echo a")
    }
  }

  /// One request gets a stream of responses, in the order in which the handler writes them.
  @Test func serverStreaming() async throws {
    try await withServer { router in
      router.serverStreaming(.test("Count", .serverStreaming)) { (request: Text, _, writer: ResponseWriter<Text>) in
        for i in 0..<Int(request.value)! { try await writer.write(Text("\(i)")) }
      }
    } body: { server in
      let call = await server.client().start(.test("Count"))
      try await call.send(Text("3"))
      var received: [String] = []
      while let text: Text = try await call.receive() { received.append(text.value) }
      #expect(received == ["0", "1", "2"])
      #expect(await call.finish().code == .ok)
    }
  }

  /// A stream of requests gets one response, after the client has ended its stream.
  @Test func clientStreaming() async throws {
    try await withServer { router in
      router.clientStreaming(.test("Join", .clientStreaming)) { (requests: RequestStream<Text>, _) in
        var joined = ""
        for try await request in requests { joined += request.value }
        return Text(joined)
      }
    } body: { server in
      let call = await server.client().start(.test("Join"))
      for letter in ["a", "b", "c"] { try await call.send(Text(letter)) }
      #expect(await call.endWrites())
      #expect(try await call.receive() == Text("abc"))
      #expect(await call.finish().code == .ok)
    }
  }

  /// The streams of requests and responses are independent: the handler may write before it reads.
  @Test func bidirectional() async throws {
    try await withServer { router in
      router.bidirectional(.test("Chat", .bidirectional)) {
        (requests: RequestStream<Text>, _, writer: ResponseWriter<Text>) in
        try await writer.write(Text("hello"))
        for try await request in requests { try await writer.write(Text("re: \(request.value)")) }
        try await writer.write(Text("bye"))
      }
    } body: { server in
      let call = await server.client().start(.test("Chat"))
      #expect(try await call.receive() == Text("hello"))
      for letter in ["a", "b"] {
        try await call.send(Text(letter))
        #expect(try await call.receive() == Text("re: \(letter)"))
      }
      #expect(await call.endWrites())
      #expect(try await call.receive() == Text("bye"))
      #expect(await call.read() == nil)
      #expect(await call.finish().code == .ok)
    }
  }
}
