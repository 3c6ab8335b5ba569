import GoogleRPC
import NIOCore
import RPCCore
import Testing

@testable import HTTPTransport

/// The decoder cuts a body into messages, wherever the reads cut the body.
struct EnvelopeDecoderTests {
  /// Returns all messages of a body whose reads have at most `size` bytes.
  private func messages(_ body: [UInt8], reads size: Int, limit: Int = 100) throws -> [[UInt8]] {
    var decoder = EnvelopeDecoder(limit: limit)
    var messages: [[UInt8]] = []
    for start in stride(from: 0, to: body.count, by: size) {
      decoder.append(ByteBuffer(bytes: body[start..<min(start + size, body.count)]))
      while let envelope = try decoder.next() {
        #expect(envelope.flags == Envelope.message)
        messages.append(Array(envelope.payload.readableBytesView))
      }
    }
    try decoder.checkEnd()
    #expect(decoder.isEmpty)
    return messages
  }

  /// The same messages come out, whether the body arrives byte by byte or at once.
  @Test(arguments: 1...40)
  func readsMayCutTheBodyAnywhere(size: Int) throws {
    let sent: [[UInt8]] = [[1, 2, 3], [], Array(0..<20), [4]]
    let body = sent.flatMap { Envelope.prefix(count: $0.count) + $0 }
    #expect(try messages(body, reads: size) == sent)
  }

  /// Several reads may come before the first message is taken.
  @Test func readsMayBeAddedWithoutTakingMessages() throws {
    var decoder = EnvelopeDecoder(limit: 10)
    for byte in Envelope.prefix(count: 2) + [7, 8] + Envelope.prefix(count: 1) + [9] {
      decoder.append(ByteBuffer(bytes: [byte]))
    }
    #expect(try decoder.next()?.payload == ByteBuffer(bytes: [7, 8]))
    #expect(try decoder.next()?.payload == ByteBuffer(bytes: [9]))
    #expect(try decoder.next() == nil)
    #expect(decoder.isEmpty)
  }

  /// The length is a number of four bytes with the highest byte first.
  @Test func prefixHasTheLengthInFourBytes() {
    #expect(Envelope.prefix(flags: Envelope.trailers, count: 0x0102_0304) == [0x80, 1, 2, 3, 4])
  }

  /// The decoder refuses a message that is too large when it has the message's prefix, and does not wait for the rest.
  @Test func prefixOfALargeMessageIsEnough() throws {
    #expect(try messages(Envelope.prefix(count: 3) + [1, 2, 3], reads: 4, limit: 3) == [[1, 2, 3]])
    let error = try #require(throws: RPCError.self) { try messages(Envelope.prefix(count: 4), reads: 5, limit: 3) }
    #expect(error.code == .resourceExhausted)
    #expect(error.reason == "REQUEST_TOO_LARGE")
    #expect(error.errorInfo?.metadata == ["size": "4", "limit": "3"])
  }

  /// The longest length that a prefix can say is refused like any other.
  @Test func largestLengthIsRefused() throws {
    let error = try #require(throws: RPCError.self) { try messages([0, 255, 255, 255, 255], reads: 5) }
    #expect(error.reason == "REQUEST_TOO_LARGE")
  }

  /// A client that did not say that it compresses messages may not set any flag.
  @Test(arguments: [0x01, 0x02, 0x03, 0x80] as [UInt8])
  func flagsAreRefused(flags: UInt8) throws {
    let error = try #require(throws: RPCError.self) { try messages([flags, 0, 0, 0, 0], reads: 5) }
    #expect(error.reason == "MALFORMED_REQUEST")
  }

  /// A client that compresses messages may still send others as they are.
  @Test func aCompressedMessageKeepsItsFlag() throws {
    var decoder = EnvelopeDecoder(limit: 10, mayBeCompressed: true)
    decoder.append(ByteBuffer(bytes: [1, 0, 0, 0, 1, 7, 0, 0, 0, 0, 1, 8]))
    let found = [try decoder.next(), try decoder.next()]
    #expect(found == [Envelope(flags: 1, payload: ByteBuffer(bytes: [7])), Envelope(payload: ByteBuffer(bytes: [8]))])
  }

  /// A body must end after a message.
  @Test(arguments: [[0], [0, 0, 0, 0, 2], [0, 0, 0, 0, 2, 7]] as [[UInt8]])
  func truncatedBodyIsMalformed(body: [UInt8]) throws {
    let error = try #require(throws: RPCError.self) { try messages(body, reads: 10) }
    #expect(error.code == .invalidArgument)
    #expect(error.reason == "MALFORMED_REQUEST")
  }

  /// The work for a message of many small reads grows with its length and not with the square of its length.
  @Test(.timeLimit(.minutes(1))) func manySmallReadsAreCheap() throws {
    let sent = [UInt8](repeating: 1, count: 1_000_000)
    #expect(try messages(Envelope.prefix(count: sent.count) + sent, reads: 8, limit: sent.count) == [sent])
  }
}
