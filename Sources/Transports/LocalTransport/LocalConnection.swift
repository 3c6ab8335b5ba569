internal import CLocalSocket
public import CaptureCore
internal import Glibc

/// A program at the other end of a Unix socket. Thread-safe; closes with the last reference.
public final class LocalConnection: Sendable {
  /// The longest packet taken, bytes.
  public static let maximumPacket = 64 << 10

  private let descriptor: Int32

  /// Takes over the descriptor of a connected socket of packets.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { Glibc.close(descriptor) }

  /// Reads on a thread of its own until the connection ends.
  ///
  /// - Parameters:
  ///   - onPacket: called there with each packet, in order. It may not block for long: the peer waits.
  ///   - onEnd: called there, once and last.
  public func start(
    onPacket: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable () -> Void
  ) throws(CaptureError) {
    try WorkerThread.start(name: "local-read") { [self] in
      var buffer = [UInt8](repeating: 0, count: Self.maximumPacket)
      while true {
        let count = buffer.withUnsafeMutableBytes { CLocalSocket_receive(descriptor, $0.baseAddress!, $0.count) }
        guard count > 0 else { break }
        onPacket(Array(buffer.prefix(count)))
      }
      onEnd()
    }
  }

  /// Sends a packet, with a duplicate of a descriptor if one is given. Never waits.
  ///
  /// - Returns: false when the peer is gone, or does not read what it asked for; the connection is of no use then.
  public func send(_ packet: [UInt8], with descriptor: Int32? = nil) -> Bool {
    packet.withUnsafeBytes {
      CLocalSocket_send(self.descriptor, $0.baseAddress!, $0.count, descriptor ?? -1) == 0
    }
  }

  /// Ends the connection; what was sent is still delivered. Calling it twice is harmless.
  public func close() { CLocalSocket_shut_down(descriptor) }
}
