import RPCCore
import Testing

@testable import HTTPTransport

/// Messages in the gzip format.
struct GzipTests {
  @Test(arguments: [0, 1, 1_000, 1_000_000])
  func aMessageComesBackAsItWas(count: Int) throws {
    let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 7919 >> 3) }
    let file = try #require(Gzip.compress(message))
    #expect(file.starts(with: [0x1F, 0x8B]), "the file does not begin like one of gzip")
    #expect(try Gzip.decompress(file, limit: count) == message)
  }

  @Test func aListGetsSmaller() throws {
    let list = Array(String(repeating: #"{"name":"devices/synthetic-0"},"#, count: 100).utf8)
    #expect(try #require(Gzip.compress(list)).count < list.count / 10)
  }

  /// A small file may decompress to gigabytes.
  @Test func aMessageAboveTheLimitIsRefused() throws {
    let file = try #require(Gzip.compress([UInt8](repeating: 0, count: 1_000_001)))
    #expect(file.count < 10_000)
    let error = try #require(throws: RPCError.self) { try Gzip.decompress(file, limit: 1_000_000) }
    #expect(error.code == .resourceExhausted)
    #expect(error.reason == "REQUEST_TOO_LARGE")
  }

  @Test func otherBytesAreMalformed() throws {
    let file = try #require(Gzip.compress([1, 2, 3]))
    for bytes in [[], [1, 2, 3], Array(file.dropLast()), file + [0], Array(file.dropFirst())] {
      let error = try #require(throws: RPCError.self) { try Gzip.decompress(bytes, limit: 1000) }
      #expect(error.code == .invalidArgument)
      #expect(error.reason == "MALFORMED_REQUEST")
    }
  }
}
