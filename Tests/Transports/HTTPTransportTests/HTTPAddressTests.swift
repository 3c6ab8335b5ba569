import HTTPTransport
import Testing

/// An address of an HTTP server is a host and a port.
@Suite struct HTTPAddressTests {
  /// A host with a port is accepted, and the address is written as it was read. An IPv6 address is in brackets.
  @Test(arguments: [
    ("127.0.0.1:9464", "127.0.0.1", 9464), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65535),
  ])
  func acceptsAHostAndAPort(text: String, host: String, port: Int) {
    let address = HTTPAddress(text)
    #expect(address?.host == host)
    #expect(address?.port == port)
    #expect(address?.description == text)
  }

  /// A text without a host, without a port from 0 to 65535, or without the brackets of an IPv6 address is refused.
  @Test(arguments: ["", ":", "9464", ":9464", "a:", "a:b", "a:65536", "a:-1", "::1:9464", "[]:1", "unix:/tmp/a"])
  func refusesOtherTexts(text: String) { #expect(HTTPAddress(text) == nil) }
}
