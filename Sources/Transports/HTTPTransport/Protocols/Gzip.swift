internal import CZlib
internal import RPCCore

/// The gzip format (RFC 1952), in which a client may send its messages and may take the answer of a unary method.
enum Gzip {
  /// The name of the format in the fields of HTTP and of the protocols.
  static let name = "gzip"

  /// Decompresses a message.
  ///
  /// - Parameters:
  ///   - bytes: the message as the client sent it.
  ///   - limit: the most bytes that the message may have. A small message may decompress to a thousand times its size.
  /// - Throws: ``RPCError`` `REQUEST_TOO_LARGE`, or `MALFORMED_REQUEST` for bytes that are not one gzip file.
  static func decompress(_ bytes: [UInt8], limit: Int) throws(RPCError) -> [UInt8] {
    guard !bytes.isEmpty else { throw .malformedBody("A message of the request is not a gzip file.") }
    // gzip makes a file at most 1,032 times smaller.
    let capacity = min(limit, bytes.count * 1032)
    var result = 0
    let message = [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      result = czlib_decompress(bytes, bytes.count, memory.baseAddress, capacity)
      count = max(0, result)
    }
    switch result {
    case Int(CZLIB_TOO_LARGE):
      throw RPCError(
        .resourceExhausted, "The request has more than \(limit) bytes when it is decompressed; send less.",
        reason: "REQUEST_TOO_LARGE", metadata: ["limit": "\(limit)"])
    case ..<0: throw .malformedBody("A message of the request is not a gzip file.")
    default: return message
    }
  }

  /// Compresses an answer. Nil when memory is short.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let capacity = czlib_bound(bytes.count)
    var result = 0
    let file = [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      result = czlib_compress(bytes, bytes.count, memory.baseAddress!, capacity)
      count = max(0, result)
    }
    return result < 0 ? nil : file
  }
}
