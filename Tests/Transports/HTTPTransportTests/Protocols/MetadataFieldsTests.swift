import HTTPTypes
import RPCCore
import Testing

@testable import HTTPTransport

/// Metadata travels as fields of HTTP.
struct MetadataFieldsTests {
  /// Only the client's own fields become metadata, in lower case and in their order.
  @Test func fieldsOfHTTPAndOfTheProtocolsAreLeftOut() throws {
    var fields = HTTPFields()
    for (name, value) in [
      ("Host", "a"), ("Content-Type", "application/json"), ("Connect-Timeout-Ms", "1"), ("grpc-timeout", "1S"),
      ("TE", "trailers"), ("Connection", "close"), ("Accept-Encoding", "gzip"), ("Authorization", "Bearer x"),
      ("X-Key", "1"), ("x-key", "2"),
    ] {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    var expected = Metadata()
    expected.add("Bearer x", forKey: "authorization")
    expected.add("1", forKey: "x-key")
    expected.add("2", forKey: "x-key")
    #expect(Metadata(fields) == expected)
  }

  /// Values under a key that ends in `-bin` are base64 with or without padding, and one field may have several values.
  /// A value that is not base64 is left out.
  @Test(
    arguments: [
      ("AQ", [[1]]), ("AQ==", [[1]]), ("AQI=, Aw", [[1, 2], [3]]), ("AQ==,!,Ag", [[1], [2]]), ("", [[]]), ("A", []),
    ] as [(String, [[UInt8]])])
  func binaryValuesAreDecoded(text: String, values: [[UInt8]]) throws {
    let metadata = Metadata([try #require(HTTPField.Name("x-bin")): text])
    #expect(metadata.values(forKey: "x-bin") == values.map { .binary($0) })
  }

  /// The server sends texts as they are and bytes as base64 without padding. It leaves out what would break the
  /// protocol, such as a line break.
  @Test func illegalEntriesAreNotSent() {
    var metadata = Metadata()
    metadata.add("a b", forKey: "x-text")
    metadata.add(binary: [1], forKey: "x-bin")
    metadata.add("a\r\nb: c", forKey: "x-line")
    metadata.add("ä", forKey: "x-umlaut")
    metadata.add("AQ", forKey: "y-bin")
    metadata.add(binary: [1], forKey: "x-bytes")
    for key in ["", "grpc-status", "connect-x", "X-Upper", "a:b", "a b"] { metadata.add("a", forKey: key) }
    #expect(metadata.fields.map { "\($0.name)=\($0.value)" } == ["x-text=a b", "x-bin=AQ"])
  }
}
