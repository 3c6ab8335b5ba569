package import HTTPTypes

/// The names by which the server may be called, and the origins whose pages may call it.
///
/// A page that a user visits elsewhere can make the user's browser send requests to this machine. Two rules keep such a
/// page away from the camera. A page whose own name points to this machine (DNS rebinding) sends its name as `Host`,
/// and a page of another origin sends this origin as `Origin`. The server refuses both before it does anything else.
/// RFC 6454 defines origins.
package struct HostRules: Hashable, Sendable {
  /// Further host names by which the server may be called, in lower case and without a port.
  private let hosts: Set<String>
  /// Further origins whose pages may call the server, in lower case, for example `https://photos.example`.
  private let origins: Set<String>

  /// Makes the rules.
  ///
  /// - Parameters:
  ///   - hosts: names beside the names of this machine's loopback interface and its IP addresses, which are always
  ///     allowed. A page cannot pretend to be an IP address.
  ///   - origins: the origins that may call the server beside the server's own.
  package init(hosts: [String] = [], origins: [String] = []) {
    self.hosts = Set(hosts.map { $0.lowercased() })
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
  }

  /// Checks the `Host` and the `Origin` of a request.
  ///
  /// - Returns: the origin of the page that asks, when it is one of the configured origins and not the server's own.
  /// - Throws: the reason for which the server must refuse the request.
  package func check(_ request: HTTPRequest) throws(Refusal) -> String? {
    guard let authority = request.authority?.lowercased(), !authority.isEmpty else { throw .noHost }
    // The first Host has become the authority. A second one would let a proxy in front decide by another name.
    guard let name = HTTPField.Name("Host"), !request.headerFields.contains(name) else { throw .noHost }
    guard isOwn(Self.name(in: authority)) else { throw .host(authority) }
    var foreign: String?
    for origin in request.headerFields[values: .origin].map({ $0.lowercased() })
    where origin != "http://\(authority)" && origin != "https://\(authority)" {
      guard origins.contains(origin) else { throw .origin(origin) }
      foreign = origin
    }
    return foreign
  }

  private func isOwn(_ name: String) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost") || Self.isAddress(name) || hosts.contains(name)
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
    }
  }

  /// The status of the answer. A server answers 421 to a request that is meant for another server.
  package var status: HTTPResponse.Status {
    switch self {
    case .noHost: .badRequest
    case .host: .misdirectedRequest
    case .origin: .forbidden
    }
  }
}
