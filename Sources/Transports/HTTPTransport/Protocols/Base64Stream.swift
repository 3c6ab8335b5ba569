internal import NIOCore
internal import RPCCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Decodes base64 text while the text arrives. The text may consist of several texts in a row, each with its own
/// padding, because gRPC-Web allows clients to encode a body in pieces.
struct Base64Stream: Sendable {
  private static let padding = UInt8(ascii: "=")
  /// The characters of the group of four that is arriving.
  private var group: [UInt8] = []

  /// Makes a decoder at the beginning of a text.
  init() {}

  /// Decodes the text that has arrived. Up to three characters stay in the decoder until the rest of their group comes.
  ///
  /// - Throws: ``RPCError`` `MALFORMED_REQUEST` when the text is not base64.
  mutating func decode(_ text: ByteBuffer) throws(RPCError) -> ByteBuffer {
    group += text.readableBytesView
    var decoded = ByteBuffer()
    var start = 0
    let end = group.count / 4 * 4
    // Foundation decodes one text at a time, and a text ends with the first padding.
    for last in stride(from: 3, to: end, by: 4) where group[last] == Self.padding || last == end - 1 {
      let text = group[start...last]
      // Foundation accepts a digit after the padding.
      guard text.drop(while: { $0 != Self.padding }).allSatisfy({ $0 == Self.padding }),
        let bytes = Data(base64Encoded: Data(text))
      else { throw Self.malformed }
      decoded.writeBytes(bytes)
      start = last + 1
    }
    group.removeFirst(end)
    return decoded
  }

  /// Returns the bytes of a last group without padding. The decoder is then at the beginning of a new text.
  ///
  /// - Throws: ``RPCError`` `MALFORMED_REQUEST` when the text ends within a byte or within its padding.
  mutating func finish() throws(RPCError) -> ByteBuffer {
    guard !group.isEmpty else { return ByteBuffer() }
    guard !group.contains(Self.padding) else { throw Self.malformed }
    return try decode(ByteBuffer(repeating: Self.padding, count: 4 - group.count))
  }

  /// Returns the bytes of a whole text, with padding or without. Nil when the text is not base64.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var stream = Self()
    do throws(RPCError) {
      let decoded = try stream.decode(ByteBuffer(string: String(text)))
      return try Array(decoded.readableBytesView) + stream.finish().readableBytesView
    } catch {
      return nil
    }
  }

  private static var malformed: RPCError { .malformedBody("The body of the request is not base64 text.") }
}
