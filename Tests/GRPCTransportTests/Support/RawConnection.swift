internal import Dispatch
internal import Glibc

/// A TCP connection without gRPC on it.
final class RawConnection: Sendable {
  private let fd: Int32
  private static let queue = DispatchQueue(label: "test.raw", attributes: .concurrent)

  private init(fd: Int32) { self.fd = fd }

  deinit { Glibc.close(fd) }

  /// Connects to a loopback port; nil when refused.
  static func connect(port: UInt16) async -> RawConnection? {
    let connection = unconnected()
    return await connection.connect(port: port) ? connection : nil
  }

  /// A socket, for when there may be no descriptor later.
  static func unconnected() -> RawConnection {
    RawConnection(fd: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
  }

  /// Connects to a loopback port; false when refused.
  @discardableResult
  func connect(port: UInt16) async -> Bool {
    await Self.blocking { [fd] in
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
  }

  /// False when the other end closes without a word.
  func receivesAnything() async -> Bool {
    await Self.blocking { [fd] in
      var byte: UInt8 = 0
      return recv(fd, &byte, 1, 0) == 1
    }
  }

  /// Hangs up. The descriptor itself goes with the object.
  func close() { shutdown(fd, Int32(SHUT_RDWR)) }

  /// Where a Unix socket can be.
  static func temporaryPath() -> String { "/tmp/transport-\(UInt64.random(in: 0 ... .max)).sock" }

  /// Binds a Unix socket and closes it, as a process that dies does.
  static func leaveStaleSocket(at path: String) -> Bool {
    let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(fd) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  private static func blocking<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
