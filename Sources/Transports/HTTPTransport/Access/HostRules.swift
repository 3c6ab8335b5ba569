package import HTTPTypes

/// The names by which the server may be called, and the origins whose pages may call it.
///
/// A page that a user visits elsewhere can make the user's browser send requests to this machine. Three rules keep such
/// a page away from the camera, and the server applies them before it does anything else:
///
/// - A page whose own name points to this machine (DNS rebinding) sends its name as `Host`.
/// - A page of another origin sends this origin as `Origin` with every request whose answer it could read. RFC 6454
///   defines origins.
/// - An image, a frame or a link of another page sends no `Origin`. Browsers then say by `Sec-Fetch-Site` that the
///   request comes from another site (<https://www.w3.org/TR/fetch-metadata>). Such a request could start a camera.
///
/// Browsers send `Sec-Fetch-Site` only to HTTPS and to this machine itself. To a daemon elsewhere in the network,
/// another site can send the request of an image, but cannot show the answer: see `Cross-Origin-Resource-Policy` in
/// ``HTTPResponseWriter``.
package struct HostRules: Hashable, Sendable {
  /// Further host names by which the server may be called, in lower case and without a port. Nil for every name.
  private let hosts: Set<String>?
  /// Further origins whose pages may call the server, in lower case, for example `https://photos.example`.
  private let origins: Set<String>

  /// Makes the rules.
  ///
  /// - Parameters:
  ///   - hosts: names beside the names of this machine's loopback interface and its IP addresses, which are always
  ///     allowed. A page cannot pretend to be an IP address. Nil allows every name, and requests without a name.
  ///   - origins: the origins that may call the server beside the server's own.
  package init(hosts: [String]? = [], origins: [String] = []) {
    self.hosts = hosts.map { Set($0.map { $0.lowercased() }) }
    self.origins = Set(origins.map { $0.lowercased() })
  }

  /// The reason for which the server refuses a request.
  package enum Refusal: Error, Hashable {
    /// The request does not say, or says twice, by which name it calls the server.
    case noHost
    /// The server does not go by this name.
    case host(String)
    /// Pages of this origin may not call the server.
    case origin(String)
    /// Pages of other sites may not make this request.
    case site
  }

  /// Whether a request calls the server by one of its names.
  func namesServer(_ request: HTTPRequest) -> Bool {
    do throws(Refusal) { try checkName(request) } catch { return false }
    return true
  }

  private func checkName(_ request: HTTPRequest) throws(Refusal) {
    guard let hosts else { return }
    let authority = request.authority?.lowercased() ?? ""
    // The first Host has become the authority. A second one would let a proxy in front decide by another name.
    guard !authority.isEmpty, !request.headerFields.contains(.host) else { throw .noHost }
    let name = Self.name(in: authority)
    guard Self.isOfThisMachine(name) || hosts.contains(name) else { throw .host(authority) }
  }

  /// Checks the `Host`, the `Origin` and the `Sec-Fetch-Site` of a request.
  ///
  /// - Parameters:
  ///   - isOpenToLinks: whether other sites may link to what the request asks for.
  ///   - byAnyName: whether the request may call the server by any name, or by none.
  /// - Returns: the origin of the page that asks, when it is one of the configured origins and not the server's own.
  /// - Throws: the reason for which the server must refuse the request.
  package func check(_ request: HTTPRequest, isOpenToLinks: Bool = false, byAnyName: Bool = false) throws(Refusal)
    -> String?
  {
    if !byAnyName { try checkName(request) }
    let authority = request.authority?.lowercased() ?? ""
    var foreign: String?
    for origin in request.headerFields[values: .origin].map({ $0.lowercased() })
    where origin != "http://\(authority)" && origin != "https://\(authority)" {
      guard origins.contains(origin) else { throw .origin(origin) }
      foreign = origin
    }
    if foreign == nil, Self.comesFromElsewhere(request), !(isOpenToLinks && Self.followsLink(request)) { throw .site }
    return foreign
  }

  /// Whether a page of another site makes the request. To browsers, programs at other ports of this machine are of the
  /// same site. They may belong to other people, so that `same-site` counts as another site here. A client that is no
  /// browser does not send the field, and a user who types the address makes the browser send `none`.
  private static func comesFromElsewhere(_ request: HTTPRequest) -> Bool {
    ["cross-site", "same-site"].contains(request.headerFields[.secFetchSite] ?? "")
  }

  /// Whether the user follows a link to the whole answer, so that the page with the link does not see the answer.
  private static func followsLink(_ request: HTTPRequest) -> Bool {
    (request.method == .get || request.method == .head) && request.headerFields[.secFetchMode] == "navigate"
      && request.headerFields[.secFetchDest] == "document"
  }

  private static func isOfThisMachine(_ name: String) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost") || isAddress(name)
  }

  /// The host of an authority, without its port. An IPv6 address keeps its brackets.
  private static func name(in authority: String) -> String {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
    return String(authority.prefix { $0 != ":" })
  }

  /// Whether a name is an IP address, which no DNS server can point elsewhere.
  private static func isAddress(_ name: String) -> Bool {
    if name.hasPrefix("["), name.hasSuffix("]") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension HostRules.Refusal {
  /// A sentence for the user of the client that was refused.
  package var message: String {
    switch self {
    case .noHost: "A request must have one Host."
    case .host(let host):
      """
      This daemon does not accept the Host \(host). Call it by its IP address or by localhost, or add the name to \
      http-hosts.
      """
    case .origin(let origin):
      "Pages of \(origin) may not call this daemon. Add the origin to http-origins if they should."
    case .site:
      """
      Pages of other sites may not use this address as an image, a frame or a link. Open the address itself. A page \
      whose origin is in http-origins may use an image with the attribute crossorigin.
      """
    }
  }

  /// The status of the answer. A server answers 421 to a request that is meant for another server.
  package var status: HTTPResponse.Status {
    switch self {
    case .noHost: .badRequest
    case .host: .misdirectedRequest
    case .origin, .site: .forbidden
    }
  }
}

extension HTTPField.Name {
  fileprivate static let host = Self("Host")!
  fileprivate static let secFetchSite = Self("Sec-Fetch-Site")!
  fileprivate static let secFetchMode = Self("Sec-Fetch-Mode")!
  fileprivate static let secFetchDest = Self("Sec-Fetch-Dest")!
}
