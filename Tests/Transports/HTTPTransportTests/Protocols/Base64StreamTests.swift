import NIOCore
import RPCCore
import Testing

@testable import HTTPTransport

/// The text form of gRPC-Web is base64 that arrives in pieces.
struct Base64StreamTests {
  /// Returns the bytes of a text whose reads have at most `size` characters.
  private func bytes(_ text: String, reads size: Int) throws -> [UInt8] {
    var stream = Base64Stream()
    var bytes: [UInt8] = []
    var rest = text[...]
    while !rest.isEmpty {
      bytes += try stream.decode(ByteBuffer(substring: rest.prefix(size))).readableBytesView
      rest = rest.dropFirst(size)
    }
    return try bytes + stream.finish().readableBytesView
  }

  /// The reads may cut the text anywhere. The text may consist of several texts with their own padding, and the padding
  /// of the last one may be missing.
  @Test(arguments: 1...9)
  func readsMayCutTheTextAnywhere(size: Int) throws {
    #expect(try bytes("", reads: size) == [])
    #expect(try bytes("AQIDBAUG", reads: size) == [1, 2, 3, 4, 5, 6])
    #expect(try bytes("AQ==AgM=BAUG/+8=", reads: size) == [1, 2, 3, 4, 5, 6, 255, 239])
    #expect(try bytes("AQ==AgM", reads: size) == [1, 2, 3])
    #expect(try bytes("AQIDBA", reads: size) == [1, 2, 3, 4])
  }

  /// A text with other characters, or with padding in the wrong place, is malformed.
  @Test(arguments: ["A", "A=", "=", "AQ=", "AQ=A", "AQ===", "AQID=", "A-_A", "AQ\n=", "AQ A", "Ä"])
  func otherTextsAreMalformed(text: String) throws {
    for size in [1, 100] {
      let error = try #require(throws: RPCError.self) { try bytes(text, reads: size) }
      #expect(error.code == .invalidArgument)
      #expect(error.reason == "MALFORMED_REQUEST")
    }
    #expect(Base64Stream.bytes(text) == nil)
  }

  /// The encoder fills the last group up for a body, and leaves it short in a field of HTTP.
  @Test(
    arguments: [
      ([], ""), ([1], "AQ=="), ([1, 2], "AQI="), ([1, 2, 3], "AQID"), ([255, 239, 190, 0], "/+++AA=="),
    ] as [([UInt8], String)])
  func bytesAreEncoded(bytes: [UInt8], text: String) {
    #expect(bytes.base64 == text)
    #expect(bytes.unpaddedBase64 == text.filter { $0 != "=" })
    #expect(Base64Stream.bytes(text) == bytes)
  }

  /// Every byte comes back from its text.
  @Test func everyByteSurvives() {
    let bytes = (0...255).flatMap { [UInt8($0), UInt8(255 - $0)] }
    #expect(Base64Stream.bytes(bytes.unpaddedBase64) == bytes)
  }
}
