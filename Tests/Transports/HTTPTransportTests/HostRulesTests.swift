import HTTPTypes
import Testing

@testable import HTTPTransport

/// The names and origins that the server accepts, as a value.
struct HostRulesTests {
  @Test func aRequestMayNameTheServer() {
    let request = HTTPRequest(method: .get, scheme: "http", authority: "localhost:80", path: "/")
    #expect(HostRules().namesServer(request) && HostRules(hosts: nil).namesServer(request))
  }

  private func refusal(
    _ authority: String?, origin: String? = nil, rules: HostRules = HostRules()
  ) -> HostRules.Refusal? {
    var request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
    request.headerFields[.origin] = origin
    do throws(HostRules.Refusal) {
      _ = try rules.check(request)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "localhost", "localhost:8080", "LocalHost", "cam.localhost", "127.0.0.1:80", "10.1.2.3", "[::1]:9", "[fe80::1]",
  ])
  func loopbackNamesAndAddressesAreOwn(authority: String) {
    #expect(refusal(authority) == nil)
  }

  @Test(arguments: [
    "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "1.2.3", "1.2.3.256", "2130706433",
  ])
  func otherNamesAreNot(authority: String) {
    #expect(refusal(authority) == .host(authority))
  }

  @Test func aRequestNeedsAHost() {
    #expect(refusal(nil) == .noHost)
    #expect(refusal("") == .noHost)
  }

  @Test func aPageForAnyNameChecksTheOriginAlone() {
    for authority in [nil, "", "balancer.example"] {
      let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/healthz")
      #expect(throws: Never.self) { try HostRules().check(request, byAnyName: true) }
      #expect(!HostRules().namesServer(request))
      var foreign = request
      foreign.headerFields[.origin] = "http://evil.example"
      #expect(throws: HostRules.Refusal.origin("http://evil.example")) {
        try HostRules().check(foreign, byAnyName: true)
      }
    }
  }

  @Test func theOriginMustBeTheHostOrAConfiguredOne() {
    let rules = HostRules(hosts: ["Cam.example"], origins: ["https://Photos.example"])
    #expect(refusal("cam.example:8080", origin: "http://cam.example:8080", rules: rules) == nil)
    #expect(refusal("cam.example", origin: "https://cam.example", rules: rules) == nil)
    #expect(refusal("cam.example", origin: "https://photos.example", rules: rules) == nil)
    #expect(refusal("cam.example", origin: "http://photos.example", rules: rules) == .origin("http://photos.example"))
    #expect(refusal("localhost:8080", origin: "http://localhost", rules: rules) == .origin("http://localhost"))
    #expect(refusal("localhost", origin: "null", rules: rules) == .origin("null"))
  }

  /// The refusal of a request with the fields by which browsers say where a request comes from.
  private func refusal(
    site: String?, mode: String = "no-cors", destination: String = "image", origin: String? = nil,
    method: HTTPRequest.Method = .get, isOpenToLinks: Bool = false
  ) -> HostRules.Refusal? {
    var request = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: "/")
    request.headerFields[HTTPField.Name("Sec-Fetch-Site")!] = site
    request.headerFields[HTTPField.Name("Sec-Fetch-Mode")!] = mode
    request.headerFields[HTTPField.Name("Sec-Fetch-Dest")!] = destination
    request.headerFields[.origin] = origin
    do throws(HostRules.Refusal) {
      _ = try HostRules(origins: ["https://photos.example"]).check(request, isOpenToLinks: isOpenToLinks)
      return nil
    } catch {
      return error
    }
  }

  @Test func imagesOfOtherSitesAreRefused() {
    #expect(refusal(site: "cross-site") == .site)
    #expect(refusal(site: "same-site") == .site)
    #expect(refusal(site: "cross-site", isOpenToLinks: true) == .site)
    #expect(refusal(site: "same-origin") == nil)
    #expect(refusal(site: "none", mode: "navigate", destination: "document") == nil)
    #expect(refusal(site: nil) == nil)
  }

  @Test func anAllowedOriginMayUseAnImageWithTheOrigin() {
    #expect(refusal(site: "cross-site", mode: "cors", origin: "https://photos.example") == nil)
    #expect(
      refusal(site: "cross-site", mode: "cors", origin: "https://evil.example") == .origin("https://evil.example"))
    // The own origin does not come from another site.
    #expect(refusal(site: "cross-site", mode: "cors", origin: "http://localhost") == .site)
  }

  @Test func aLinkLeadsOnlyToWhatIsOpenToLinks() {
    #expect(refusal(site: "cross-site", mode: "navigate", destination: "document", isOpenToLinks: true) == nil)
    #expect(refusal(site: "cross-site", mode: "navigate", destination: "document") == .site)
    #expect(refusal(site: "cross-site", mode: "navigate", destination: "iframe", isOpenToLinks: true) == .site)
    #expect(
      refusal(site: "cross-site", mode: "navigate", destination: "document", method: .post, isOpenToLinks: true)
        == .site)
  }
}
