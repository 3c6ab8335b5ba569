import GRPCTransport
import GoogleRPC
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// A client gets the errors of handlers, and those of the transport itself, with code, message, reason and details.
@Suite(.timeLimit(.minutes(1)))
struct ErrorTests {
  /// The code, the message with any characters, and all details of an error reach the client. The server adds its
  /// domain.
  @Test func errorArrivesWithItsDetails() async throws {
    let status = try await status { router in
      router.unary(.test("Fail")) { (_: Text, _) -> Text in
        throw RPCError(
          .failedPrecondition, "The lens cap is on: ✓ %.", reason: "LENS_CAP", metadata: ["cap": "on"],
          fieldViolations: [("lens.cap", "must be off")])
      }
    }
    #expect(status.code == .failedPrecondition)
    #expect(status.message == "The lens cap is on: ✓ %.")
    #expect(try status.rpcStatus.code == 9)
    #expect(try status.rpcStatus.message == status.message)
    #expect(
      status.errorInfo
        == .with {
          $0.reason = "LENS_CAP"
          $0.domain = "test"
          $0.metadata = ["cap": "on"]
        })
    #expect(status.badRequest?.fieldViolations.first?.field == "lens.cap")
    #expect(status.badRequest?.fieldViolations.first?.description_p == "must be off")
  }

  /// The error mapper of the server turns an error that is no `RPCError` into the error that the client gets.
  @Test func foreignErrorsAreMapped() async throws {
    struct Overheated: Error {}
    let status = try await status(errorMapper: { error in
      error is Overheated ? RPCError(.unavailable, "too hot", reason: "HEAT", domain: "other") : nil
    }) { router in
      router.unary(.test("Fail")) { (_: Text, _) -> Text in throw Overheated() }
    }
    #expect(status.code == .unavailable)
    #expect(status.reason == "HEAT")
    #expect(status.errorInfo?.domain == "other")
  }

  /// An error that the error mapper does not know reaches the client as `INTERNAL` without its text, which may contain
  /// secrets.
  @Test func unmappedErrorsLeakNothing() async throws {
    struct Secret: Error { let password = "hunter2" }
    let status = try await status { router in
      router.unary(.test("Fail")) { (_: Text, _) -> Text in throw Secret() }
    }
    #expect(status.code == .internal)
    #expect(!status.message.contains("hunter2"))
    #expect(!String(decoding: status.details, as: UTF8.self).contains("hunter2"))
    #expect(status.reason == "INTERNAL")
  }

  /// A call of a method that the router does not have fails with `METHOD_NOT_FOUND` and the method's name.
  @Test func unknownMethod() async throws {
    let status = try await status { _ in }
    #expect(status.code == .unimplemented)
    #expect(status.reason == "METHOD_NOT_FOUND")
    #expect(status.errorInfo?.metadata["method"] == "test.v1.Test/Fail")
  }

  /// A request that is no message of the method's type fails with `MALFORMED_REQUEST`.
  @Test func malformedRequest() async throws {
    let status = try await status(request: [0xff, 0xff, 0xff]) { router in echo(&router) }
    #expect(status.code == .invalidArgument)
    #expect(status.reason == "MALFORMED_REQUEST")
  }

  /// A client that ends its stream without a request gets `MISSING_REQUEST`.
  @Test func missingRequest() async throws {
    let status = try await status(request: nil) { router in echo(&router) }
    #expect(status.code == .invalidArgument)
    #expect(status.reason == "MISSING_REQUEST")
  }

  /// A request without bytes is a message whose fields all have their default values, and not a missing request.
  @Test func emptyRequestIsAnEmptyMessage() async throws {
    let status = try await status(request: []) { router in echo(&router) }
    #expect(status.code == .ok)
  }

  /// A request of more than `maximumRequestBytes` bytes fails with an error that names its size and the limit.
  @Test func oversizedRequestNamesSizeAndLimit() async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.requests.maximumBytes = 1000
    let status = try await status(configuration, request: [UInt8](repeating: 0, count: 1001)) { echo(&$0) }
    #expect(status.code == .resourceExhausted)
    #expect(status.reason == "REQUEST_TOO_LARGE")
    #expect(status.errorInfo?.metadata == ["size": "1001", "limit": "1000"])
  }

  /// The error of a request of more than `hardMaximumBytes` bytes names the limit.
  @Test func requestOverTheHardLimitNamesTheLimit() async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.requests.hardMaximumBytes = 2000
    let status = try await status(configuration, request: [UInt8](repeating: 0, count: 2001)) { echo(&$0) }
    #expect(status.code == .resourceExhausted)
    #expect(status.reason == "REQUEST_TOO_LARGE")
    #expect(status.errorInfo?.metadata["limit"] == "\(configuration.requests.maximumSmallBytes)")
  }

  /// A call beyond `maximumCalls` fails with `TOO_MANY_CALLS` and is counted.
  @Test func tooManyCalls() async throws {
    var configuration = GRPCServerConfiguration.test
    configuration.calls.maximum = 1
    try await withServer(configuration) { router in
      router.serverStreaming(.test("Endless", .serverStreaming)) { (_: Text, _, writer: ResponseWriter<Text>) in
        try await writer.write(Text("here"))
        await untilCancelled()
      }
      echo(&router)
    } body: { server in
      let client = server.client()
      let first = await client.start(.test("Endless"))
      try await first.send(Text())
      #expect(try await first.receive() == Text("here"))

      let surplus = await client.start(.test("Fail"))
      let status = await surplus.finish()
      #expect(status.code == .resourceExhausted)
      #expect(status.reason == "TOO_MANY_CALLS")
      #expect(status.errorInfo?.domain == "test")
      #expect(server.server.counters.callsRefused == 1)
      first.cancel()
    }
  }

  private func echo(_ router: inout RPCRouter) {
    router.unary(.test("Fail")) { (request: Text, _) in request }
  }

  /// Returns the status of a call of `test.v1.Test/Fail`. Without a request the client ends its stream at once.
  private func status(
    _ configuration: GRPCServerConfiguration = .test, request: [UInt8]? = [],
    errorMapper: @escaping @Sendable (any Error) -> RPCError? = { _ in nil }, routes: (inout RPCRouter) -> Void
  ) async throws -> TestStatus {
    let result = Signal<TestStatus>()
    try await withServer(configuration, errorMapper: errorMapper, routes: routes) { server in
      let call = await server.client().start(.test("Fail"))
      if let request { _ = await call.write(request) }
      _ = await call.endWrites()
      _ = await call.read()
      result.send(await call.finish())
    }
    return try #require(await result.next())
  }
}
