import HTTPTransport
import Testing

/// The query of a page, without percent encoding.
struct HTTPPageRequestTests {
  private func parameters(_ target: String) -> [String] {
    HTTPPageRequest(target: target).parameters.map { "\($0.name): \($0.value)" }
  }

  @Test func parametersAreTakenApartInTheirOrder() {
    #expect(parameters("/stream.mjpg") == [])
    #expect(parameters("/stream.mjpg?") == [])
    #expect(parameters("/stream.mjpg?width=640&fps=5") == ["width: 640", "fps: 5"])
    #expect(parameters("/p?a=1&a=2&&b&c=") == ["a: 1", "a: 2", "b: ", "c: "])
    #expect(parameters("/p?a=b=c?d") == ["a: b=c?d"])
  }

  @Test func percentEncodingIsDecoded() {
    #expect(parameters("/p?session=sessions%2Ffront") == ["session: sessions/front"])
    #expect(parameters("/p?a=b+c%20d&%C3%A4=%c3%9f") == ["a: b c d", "ä: ß"])
    #expect(parameters("/p?a=%26%3D") == ["a: &="])
  }

  @Test func brokenEncodingStaysAsItIs() {
    #expect(parameters("/p?a=%&b=%4&c=%zz&d=%+1") == ["a: %", "b: %4", "c: %zz", "d: % 1"])
    #expect(parameters("/p?a=%FF") == ["a: \u{FFFD}"])
  }
}
