import RPCCore
import RPCTestKit
import SwiftProtobuf
import SystemClocks
import Testing

/// Metadata reaches the handler, and trailing metadata reaches the client. Handlers also learn where and when a call
/// came from.
@Suite(.timeLimit(.minutes(1)))
struct MetadataTests {
  /// A handler gets the metadata of a call, and none of another call.
  @Test func requestMetadataArrives() async throws {
    try await withServer { router in
      router.unary(.test("Echo")) { (_: Text, context) in Text(context.metadata["x-colour"] ?? "none") }
    } body: { server in
      let client = server.client()
      let answer: Text = try await client.unary(.test("Echo"), Text(), metadata: ("x-colour", "red"))
      #expect(answer.value == "red")
      let none: Text = try await client.unary(.test("Echo"), Text())
      #expect(none.value == "none")
    }
  }

  /// The bytes of metadata under a key that ends in `-bin` reach the handler unchanged.
  @Test func binaryMetadataKeepsItsBytes() async throws {
    try await withServer { router in
      router.unary(.test("Echo")) { (_: Text, context) in
        context.metadata.values(forKey: "token-bin") == [.binary([0xff, 0x01])] ? Text("same") : Text("other")
      }
    } body: { server in
      // A C string cannot contain 0, so the test tries the other end of the range of a byte.
      let call = await server.client().start(.test("Echo"), binaryMetadata: ("token-bin", [-1, 1]))
      try await call.send(Text())
      #expect(try await call.receive() == Text("same"))
    }
  }

  /// Trailing metadata reaches the client of a call that succeeds and of a call that fails. The server leaves out
  /// entries that HTTP/2 or gRPC forbids.
  @Test func trailingMetadataArrivesWithSuccessAndFailure() async throws {
    try await withServer { router in
      router.unary(.test("Echo")) { (request: Text, context) in
        context.trailingMetadata.add("42", forKey: "x-cost")
        context.trailingMetadata.add(binary: [0, 255], forKey: "x-raw-bin")
        // The server leaves these entries out, because gRPC would abort the process.
        context.trailingMetadata.add("line\nbreak", forKey: "x-bad")
        context.trailingMetadata.add("v", forKey: "Bad Key")
        context.trailingMetadata.add("0", forKey: "grpc-status")
        if request.value == "fail" { throw RPCError(.aborted, "as asked") }
        return request
      }
    } body: { server in
      for (request, code) in [("ok", RPCError.Code.ok), ("fail", .aborted)] {
        let call = await server.client().start(.test("Echo"))
        try await call.send(Text(request))
        #expect(await call.read() != nil || code != .ok)
        #expect(await call.finish().code == code)
        #expect(await call.trailer("x-cost") == Array("42".utf8))
        #expect(await call.trailer("x-raw-bin") == [0, 255])
        #expect(await call.trailer("x-bad").isEmpty)
      }
    }
  }

  /// The arrival of a call is taken before its handler runs, so that a handler can compute how long the call has
  /// waited.
  @Test func arrivalIsStampedBeforeTheHandlerRuns() async throws {
    let contexts = Signal<(CallContext, MonotonicInstant)>()
    try await withServer { router in
      router.unary(.test("Echo")) { (request: Text, context) in
        contexts.send((context, .now()))
        return request
      }
    } body: { server in
      let before = MonotonicInstant.now()
      let _: Text = try await server.client().unary(.test("Echo"), Text())
      let (context, handled) = try #require(await contexts.next())
      #expect(before < context.arrival)
      #expect(context.arrival < handled)
      #expect(context.deadline == nil)
      #expect(context.method == .test("Echo"))
      #expect(context.peer.hasPrefix("ipv4:127.0.0.1:"))
      #expect(context.principal == .thisMachine)
    }
  }
}
