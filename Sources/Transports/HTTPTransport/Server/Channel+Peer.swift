internal import NIOCore
internal import RPCCore

extension Channel {
  /// Who calls: nobody known, since HTTP over TCP tells no more than an address.
  var principal: Principal { .anonymous }

  /// The client's address in the form of `CallContext.peer`.
  var peer: String {
    guard let address = remoteAddress, let ip = address.ipAddress, let port = address.port else { return "" }
    return ip.contains(":") ? "ipv6:%5B\(ip)%5D:\(port)" : "ipv4:\(ip):\(port)"
  }
}
