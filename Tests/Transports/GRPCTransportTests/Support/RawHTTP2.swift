/// Frames of HTTP/2 as bytes. The frames suffice to ask for a stream whose flow control never holds the server back,
/// and to abuse a connection.
enum RawHTTP2 {
  /// The first bytes of a connection: the preface and empty settings.
  static let start = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(type: 4, flags: 0, stream: 0, [])

  /// Opens calls and resets each call immediately. The first call is numbered as if `after` calls had been opened
  /// before.
  static func resets(_ count: Int, path: String, after: Int = 0) -> [UInt8] {
    (after..<after + count).flatMap { number in
      let stream = UInt32(2 * number + 1)
      return frame(type: 1, flags: 4, stream: stream, headers(path: path))
        + frame(type: 3, flags: 0, stream: stream, [0, 0, 0, 8])
    }
  }

  /// Widens the window of the connection `count` times by one byte each, which has no effect. Each frame has 13 bytes.
  static func windowUpdates(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in frame(type: 8, flags: 0, stream: 0, [0, 0, 0, 1]) }
  }

  /// Makes `count` frames of 16 kB whose type HTTP/2 does not define.
  static func noise(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in frame(type: 0xbb, flags: 0, stream: 0, [UInt8](repeating: 0, count: 16_000)) }
  }

  /// The first bytes of a connection, followed by `count` gRPC calls with an empty request each.
  static func calls(_ count: Int, path: String) -> [UInt8] {
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    let unlimited: [UInt8] = [0x7f, 0xff, 0xff, 0xff]
    let initialWindow: [UInt8] = [0, 4] + unlimited
    let increment: [UInt8] = [0x7f, 0xff, 0, 0]
    let headers = headers(path: path)
    let settings =
      frame(type: 4, flags: 0, stream: 0, initialWindow) + frame(type: 8, flags: 0, stream: 0, increment)
    return (0..<count).reduce(preface + settings) { bytes, number in
      let stream = UInt32(2 * number + 1)
      return bytes
        + frame(type: 1, flags: 4, stream: stream, headers)
        + frame(type: 0, flags: 1, stream: stream, [0, 0, 0, 0, 0])
    }
  }

  private static func headers(path: String) -> [UInt8] {
    // The first two bytes are indexed fields: POST and http. Path, authority, content type and te follow as literals.
    [0x83, 0x86, 0x04] + string(path) + [0x01] + string("localhost")
      + [0x0f, 0x10] + string("application/grpc") + [0x00] + string("te") + string("trailers")
  }

  private static func frame(type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
    let number = (0..<4).map { UInt8(truncatingIfNeeded: stream >> (24 - 8 * $0)) }
    return [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags] + number + payload
  }

  private static func string(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
