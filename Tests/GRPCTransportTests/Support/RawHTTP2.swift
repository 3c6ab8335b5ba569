/// Just enough of HTTP/2 to ask for a stream whose flow control never holds the server back.
enum RawHTTP2 {
  /// A connection's first bytes, and gRPC calls with an empty request.
  static func calls(_ count: Int, path: String) -> [UInt8] {
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    let unlimited: [UInt8] = [0x7f, 0xff, 0xff, 0xff]
    let initialWindow: [UInt8] = [0, 4] + unlimited
    let increment: [UInt8] = [0x7f, 0xff, 0, 0]
    // Indexed: POST, http. Literal: path, authority, content type, te.
    let headers: [UInt8] =
      [0x83, 0x86, 0x04] + string(path) + [0x01] + string("localhost")
      + [0x0f, 0x10] + string("application/grpc") + [0x00] + string("te") + string("trailers")
    let settings =
      frame(type: 4, flags: 0, stream: 0, initialWindow) + frame(type: 8, flags: 0, stream: 0, increment)
    return (0..<count).reduce(preface + settings) { bytes, number in
      let stream = UInt8(2 * number + 1)
      return bytes
        + frame(type: 1, flags: 4, stream: stream, headers)
        + frame(type: 0, flags: 1, stream: stream, [0, 0, 0, 0, 0])
    }
  }

  private static func frame(type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, stream] + payload
  }

  private static func string(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
