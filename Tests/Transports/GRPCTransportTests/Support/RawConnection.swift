internal import Dispatch
internal import Glibc

/// A TCP or Unix connection to the server under test, without a gRPC client on it. Tests use it to behave in ways in
/// which no gRPC client behaves.
final class RawConnection: Sendable {
  private let fd: Int32
  private static let queue = DispatchQueue(label: "test.raw", attributes: .concurrent)

  private init(fd: Int32) { self.fd = fd }

  deinit { Glibc.close(fd) }

  /// Connects to a port of the loopback interface. Returns nil when the connection is refused.
  ///
  /// - Parameters:
  ///   - port: the port of the server.
  ///   - isIPv6: whether to connect to ::1 instead of 127.0.0.1.
  ///   - from: an IPv4 address of the loopback network to connect from, so that the server sees another client. Nil for
  ///     the usual one.
  ///   - fromPort: the port to connect from, which another connection to another port of the server may have at the
  ///     same time. 0 for a free port.
  static func connect(
    port: UInt16, isIPv6: Bool = false, from: String? = nil, fromPort: UInt16 = 0
  ) async -> RawConnection? {
    let connection = unconnected(isIPv6: isIPv6)
    if let from, !connection.bind(to: from, port: fromPort) { return nil }
    return await connection.connect(port: port, isIPv6: isIPv6) ? connection : nil
  }

  /// The port of this end of the connection.
  var localPort: UInt16 {
    var (own, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    _ = withUnsafeMutablePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
    }
    return UInt16(bigEndian: own.sin_port)
  }

  private func bind(to address: String, port: UInt16) -> Bool {
    var isShared: Int32 = 1
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_port = port.bigEndian
    guard inet_pton(AF_INET, address, &own.sin_addr) == 1 else { return false }
    return withUnsafePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Makes a TCP socket that is not connected yet. A test that will have no free descriptor later makes its socket
  /// first.
  static func unconnected(isIPv6: Bool = false) -> RawConnection {
    RawConnection(fd: socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0))
  }

  /// Makes a Unix socket that is not connected yet.
  static func unconnectedLocal() -> RawConnection {
    RawConnection(fd: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
  }

  /// Fixes the size of the kernel's receive buffer, which would otherwise grow the faster it is read. Must be called
  /// before the socket is connected. The kernel doubles `bytes`, because it needs room for its own data.
  ///
  /// - Returns: false when the system allows only a smaller buffer. net.core.rmem_max is the limit for processes
  ///   without CAP_NET_ADMIN.
  func setReceiveBuffer(_ bytes: Int32) -> Bool {
    var (size, length) = (bytes, socklen_t(MemoryLayout<Int32>.size))
    if setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
      setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, length)
    }
    return getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &length) == 0 && size >= 2 * bytes
  }

  /// Connects to a port of the loopback interface. Returns false when the connection is refused.
  @discardableResult
  func connect(port: UInt16, isIPv6: Bool = false) async -> Bool {
    await Self.blocking { [fd] in isIPv6 ? Self.connectIPv6(fd, port) : Self.connectIPv4(fd, port)
    }
  }

  private static func connectIPv4(_ fd: Int32, _ port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func connectIPv6(_ fd: Int32, _ port: UInt16) -> Bool {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
      }
    }
  }

  /// Connects to a Unix socket. Returns false when the connection is refused.
  func connect(path: String) async -> Bool {
    await Self.blocking { [fd] in Self.withUnixAddress(path) { Glibc.connect(fd, $0, $1) == 0 } }
  }

  private static func withUnixAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Waits for a byte from the server. Returns false when the server closes the connection without sending one.
  func receivesAnything() async -> Bool {
    await Self.blocking { [fd] in
      var byte: UInt8 = 0
      return recv(fd, &byte, 1, 0) == 1
    }
  }

  /// Sends all bytes. Returns false when the server has closed the connection.
  func send(_ bytes: [UInt8]) async -> Bool {
    await Self.blocking { [fd] in Glibc.send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count }
  }

  /// Reads until `count` bytes have come or the server closes the connection.
  ///
  /// - Returns: the number of bytes that have come.
  func receive(atLeast count: Int) async -> Int {
    await Self.blocking { [fd] in
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      var received = 0
      while received < count {
        let size = recv(fd, &buffer, buffer.count, 0)
        if size <= 0 { break }
        received += size
      }
      return received
    }
  }

  /// Closes the sending direction. The connection can still receive.
  func endSending() { shutdown(fd, Int32(SHUT_WR)) }

  /// Closes the connection in both directions. The descriptor stays open until this object is freed.
  func close() { shutdown(fd, Int32(SHUT_RDWR)) }

  /// Returns an unused path for a Unix socket.
  static func temporaryPath() -> String { "/tmp/transport-\(UInt64.random(in: 0 ... .max)).sock" }

  /// Binds a Unix socket and closes it without removing its file, which is what a process that dies leaves behind.
  /// Returns false when the socket cannot be bound.
  static func leaveStaleSocket(at path: String) -> Bool {
    let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(fd) }
    return withUnixAddress(path) { Glibc.bind(fd, $0, $1) == 0 }
  }

  /// Runs a blocking function on a dispatch queue, so that it does not block a thread of Swift's pool.
  private static func blocking<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
