internal import NIOCore

/// Sends a content to a client that takes it as fast as it likes. One piece is in memory at a time.
struct ContentOutput {
  /// The size of a piece. It is larger than the kernel's send buffer, so that a piece fills the buffer.
  private static let pieceBytes = 256 << 10

  let content: HTTPContent
  let writer: HTTPResponseWriter

  /// Answers a request.
  ///
  /// - Throws: what reading the first piece throws. The client has no answer then. When a later piece cannot be read,
  ///   or the task is cancelled, the connection is closed, so that the client notices that bytes are missing.
  func answer(_ request: HTTPPageRequest) async throws {
    let answer = content.answer(to: request.fields)
    guard let range = answer.range, !range.isEmpty, !request.isHead else {
      writer.begin(answer.head)
      return writer.end(request.isHead ? ByteBuffer() : ByteBuffer(string: answer.message))
    }
    var offset = range.lowerBound
    var piece = try await self.piece(at: offset, of: range)
    writer.begin(answer.head)
    do {
      while true {
        try await writer.write(piece)
        offset += UInt64(piece.readableBytes)
        guard offset < range.upperBound else { break }
        piece = try await self.piece(at: offset, of: range)
      }
    } catch {
      writer.abort()
    }
    writer.end(ByteBuffer())
  }

  private func piece(at offset: UInt64, of range: Range<UInt64>) async throws -> ByteBuffer {
    let bytes = try await content.read(offset, Int(min(UInt64(Self.pieceBytes), range.upperBound - offset)))
    guard !bytes.isEmpty else { throw ContentIsShort() }
    return ByteBuffer(bytes: bytes)
  }
}

/// The content has fewer bytes than it said, for example because somebody cut its file off.
private struct ContentIsShort: Error {}
