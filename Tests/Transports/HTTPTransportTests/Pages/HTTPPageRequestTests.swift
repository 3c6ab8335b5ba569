import HTTPTypes
import RPCCore
import Testing

@testable import HTTPTransport

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

  @Test func parametersThatThePageDoesNotReadAreNamedAsTheyCame() {
    let request = HTTPPageRequest(
      target: "/p?a=1&169&%62=2&c%20=3&a=4", isHead: false, fields: [:], reading: ["a", "b"])
    #expect(request.parameters.map { "\($0.name): \($0.value)" } == ["a: 1", "b: 2", "a: 4"])
    #expect(request.ignoredParameters == ["169", "c%20"])
    #expect(HTTPPageRequest(target: "/p?a=1&b=2").ignoredParameters == [])
  }

  @Test func severalSlashesCountAsOne() {
    #expect(HTTPPageRequest(target: "//a///b/?c=//d").path == "/a/b/")
    #expect(HTTPPageRequest.path(of: "/a%2F/b") == "/a%2F/b")
  }

  @Test func aPageMayNeedParameters() {
    let rule = PageRule(Permission("pictures.view"))
    let page = HTTPPage("/?action=stream", rule, parameters: ["fps"], isOpenToLinks: false) { _, _ in }
    #expect(page.path == "/" && page.parameters == ["fps", "action"])
    for target in ["/?action=stream", "/?fps=5&action=stream", "/?169&action=stream"] {
      #expect(page.answers("/", of: target))
    }
    for target in ["/", "/?action=snapshot", "/?action", "/?stream=action"] { #expect(!page.answers("/", of: target)) }
    #expect(!page.answers("/x", of: "/x?action=stream"))
  }
}
