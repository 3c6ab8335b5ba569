import Logging
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// Every call passes the access check before its handler runs.
@Suite(.timeLimit(.minutes(1))) struct MethodAccessTests {
  private static let kinds: [MethodDescriptor] = [
    .test("Unary"), .test("Server", .serverStreaming), .test("Client", .clientStreaming),
    .test("Both", .bidirectional),
  ]

  /// A router with a method of each kind, whose handlers echo their requests.
  private static func router(_ access: MethodAccess) -> RPCRouter {
    var router = RPCRouter(access: access)
    router.unary(kinds[0]) { (request: Text, _) in request }
    router.serverStreaming(kinds[1]) { (request: Text, _, writer: ResponseWriter<Text>) in
      try await writer.write(request)
    }
    router.clientStreaming(kinds[2]) { (requests: RequestStream<Text>, _) in
      Text(try await requests.reduce("") { $0 + $1.value })
    }
    router.bidirectional(kinds[3]) { (requests: RequestStream<Text>, _, writer: ResponseWriter<Text>) in
      // Two iterators read one stream after the other, as handlers do whose first request is special.
      var iterator = requests.makeAsyncIterator()
      if let first = try await iterator.next() { try await writer.write(first) }
      for try await request in requests { try await writer.write(request) }
    }
    return router
  }

  private static func run(_ call: InMemoryCall, _ check: RecordingAccess) async {
    let rules = kinds.map { MethodRule($0, Permission($0.name.method), on: \Text.value) }
    await CallExecutor(
      router: router(MethodAccess(check, rules)), interceptors: [], errorMapper: { _ in nil }, errorDomain: "test",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run(call)
  }

  /// The check gets the caller, the right of the method and the resource of the first request, once for a call.
  @Test(arguments: kinds) func aCallIsCheckedOnce(method: MethodDescriptor) async throws {
    let check = RecordingAccess { _ in false }
    let streams = method.kind == .clientStreaming || method.kind == .bidirectional
    let call = try InMemoryCall(method.name, streams ? [Text("a"), Text("b")] : [Text("a")])
    await Self.run(call, check)
    #expect(call.code == .ok)
    #expect(
      check.takeQuestions() == [RecordingAccess.Question(.anonymous, Permission(method.name.method), on: "a")])
  }

  /// A handler reads every request although the check has read the first one.
  @Test func noRequestOfAStreamIsLost() async throws {
    let both = try InMemoryCall(Self.kinds[3].name, [Text("a"), Text("b"), Text("c")])
    await Self.run(both, RecordingAccess { _ in false })
    #expect(try both.responses() == [Text("a"), Text("b"), Text("c")])
    let client = try InMemoryCall(Self.kinds[2].name, [Text("a"), Text("b")])
    await Self.run(client, RecordingAccess { _ in false })
    #expect(try client.responses() == [Text("ab")])
  }

  /// A stream without requests has no resource, and its handler sees its end.
  @Test func aStreamWithoutRequestsIsChecked() async throws {
    let check = RecordingAccess { _ in false }
    let call = InMemoryCall(Self.kinds[3].name, requests: [])
    await Self.run(call, check)
    #expect(call.code == .ok)
    #expect(check.takeQuestions().map(\.resource) == [nil])
  }

  /// A handler does not learn of a call that is refused.
  @Test(arguments: kinds) func aRefusedCallReachesNoHandler(method: MethodDescriptor) async throws {
    let call = try InMemoryCall(method.name, [Text("a")])
    await Self.run(call, RecordingAccess())
    #expect(call.error?.reason == RecordingAccess.reason)
    #expect(try call.responses() as [Text] == [])
  }

  /// Whoever adds a method with a refusal's observer learns the request and the error.
  @Test func theObserverOfRefusalsLearnsTheRequest() async throws {
    let told = Signal<String>()
    var router = RPCRouter(access: MethodAccess(RecordingAccess(), [MethodRule(Self.kinds[0], Permission("p"))]))
    router.unary(
      Self.kinds[0],
      onRefusal: { (request: Text, _, error) in
        told.send("\(request.value) \((error as? RPCError)?.reason ?? "another error")")
      }
    ) { (request: Text, _) in request }
    let call = try InMemoryCall(Self.kinds[0].name, [Text("a")])
    await CallExecutor(
      router: router, interceptors: [], errorMapper: { _ in nil }, errorDomain: "test",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run(call)
    #expect(await told.next() == "a REFUSED_BY_TEST")
  }
}
