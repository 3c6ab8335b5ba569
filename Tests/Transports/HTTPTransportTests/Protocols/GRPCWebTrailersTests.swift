import RPCCore
import Testing

@testable import HTTPTransport

/// gRPC-Web sends the status and the trailing metadata at the end of the body.
struct GRPCWebTrailersTests {
  /// A call that succeeded has the status 0 and its metadata.
  @Test func success() {
    var metadata = Metadata()
    metadata.add("1", forKey: "x-key")
    metadata.add(binary: [1], forKey: "x-bin")
    let trailers = GRPCWebTrailers(nil, metadata: metadata)
    #expect(trailers.text == "grpc-status: 0\r\nx-key: 1\r\nx-bin: AQ\r\n")
    #expect(trailers.envelope == [0x80, 0, 0, 0, 37] + Array(trailers.text.utf8))
  }

  /// A call that failed has the code, the message and the whole status. The message is percent-encoded, so that it
  /// cannot contain a line break.
  @Test func failure() throws {
    let error = RPCError(.notFound, "100 % für\r\nx: y", reason: "GONE", domain: "d")
    let lines = GRPCWebTrailers(error, metadata: Metadata()).text.split(separator: "\r\n")
    #expect(lines.count == 3)
    #expect(lines[0] == "grpc-status: 5")
    #expect(lines[1] == "grpc-message: 100 %25 f%C3%BCr%0D%0Ax: y")
    let details = try #require(lines[2].wholeMatch(of: /grpc-status-details-bin: (.*)/)?.1)
    #expect(Base64Stream.bytes(details) == error.serializedStatus())
  }
}
