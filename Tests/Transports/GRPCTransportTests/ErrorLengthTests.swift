import GoogleRPC
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// An error reaches the client whole, however long the texts are that a handler puts into it.
@Suite(.timeLimit(.minutes(1)))
struct ErrorLengthTests {
  /// The server shortens an error that repeats megabytes from a client, because trailing metadata has room for 8 KiB.
  /// The client would otherwise get an error of gRPC without the reason.
  @Test(arguments: ["x", "é", "a\u{301}", "😀"])
  func aLongErrorArrivesShortened(character: String) async throws {
    let long = String(repeating: character, count: 100_000)
    let result = Signal<TestStatus>()
    try await withServer { router in
      router.unary(.test("Fail")) { (_: Text, _) -> Text in
        throw RPCError(
          .notFound, "There is no \(long).", reason: "LONG", metadata: ["name": long, "other": "short"],
          fieldViolations: (0..<100).map { ("field\($0)", long) })
      }
    } body: { server in
      let call = await server.client().start(.test("Fail"))
      _ = await call.write([])
      _ = await call.endWrites()
      _ = await call.read()
      result.send(await call.finish())
    }
    let status = try #require(await result.next())
    #expect(status.code == .notFound && status.reason == "LONG")
    // The cut is between two Unicode scalars and may be within a character, so scalars are compared.
    let start = Array("There is no ".unicodeScalars) + [character.unicodeScalars.first!]
    #expect(status.message.unicodeScalars.starts(with: start))
    #expect(status.message.hasSuffix("…"))
    #expect(status.errorInfo?.metadata["other"] == "short")
    #expect(status.errorInfo?.metadata["name"]?.hasSuffix("…") == true)
    #expect(status.badRequest?.fieldViolations.first?.field == "field0")
    // The sizes are those on the network: the message is percent-encoded, and the details are in base64.
    let message = status.message.utf8.reduce(0) { $0 + ($1 < 0x80 ? 1 : 3) }
    #expect(message + status.details.count * 4 / 3 < 8192)
  }
}
