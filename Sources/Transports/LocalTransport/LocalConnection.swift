internal import CLocalSocket
public import CaptureCore
internal import Glibc

/// The connection to a program at the other end of a Unix socket. Thread-safe. Closes when the last reference to the
/// connection is gone.
public final class LocalConnection: Sendable {
  /// The longest packet that the daemon takes, in bytes.
  public static let maximumPacket = 64 << 10

  /// Who connected.
  public let peer: LocalPeer
  private let descriptor: Int32

  /// Takes over `descriptor`, a connected packet socket (SOCK_SEQPACKET) of `peer`.
  init(_ descriptor: Int32, of peer: LocalPeer) {
    self.descriptor = descriptor
    self.peer = peer
  }

  deinit { Glibc.close(descriptor) }

  /// Reads packets on a thread of its own until the connection ends.
  ///
  /// - Parameters:
  ///   - onPacket: the reading thread calls this with each packet, in order. The callback must not block for long,
  ///     because the program's next packets wait meanwhile.
  ///   - onEnd: the reading thread calls this once, after the last packet.
  /// - Throws: `processingFailed` when the system cannot create a thread. The connection then calls neither callback.
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

  /// Sends a packet, together with a duplicate of `descriptor` if there is one. Never waits.
  ///
  /// - Returns: false when the program is gone, or does not read the packets that it asked for. The connection is of no
  ///   use afterwards.
  public func send(_ packet: [UInt8], with descriptor: Int32? = nil) -> Bool {
    packet.withUnsafeBytes {
      CLocalSocket_send(self.descriptor, $0.baseAddress!, $0.count, descriptor ?? -1) == 0
    }
  }

  /// Ends the connection. The program still gets the packets that were sent before. Further calls have no effect.
  public func close() { CLocalSocket_shut_down(descriptor) }
}

/// The process at the other end of a connection, as the kernel recorded it when the process connected (SO_PEERCRED).
public struct LocalPeer: Hashable, Sendable {
  /// The process ID.
  public let processID: Int32
  /// The user ID.
  public let userID: UInt32
  /// The group ID.
  public let groupID: UInt32
}

extension FrameMemory {
  /// Memory that the daemon can share with other processes. Each slab has a descriptor that other processes can map for
  /// reading; the seals of the memory let no other process write or resize the slab.
  public static let shared = FrameMemory(
    allocate: { capacity in
      var base: UnsafeMutableRawPointer?
      let descriptor = CLocalSocket_create_memory(capacity, &base)
      guard descriptor >= 0, let base else { return nil }
      return Slab(base: base, capacity: capacity, descriptor: descriptor)
    },
    free: { slab in
      guard let descriptor = slab.descriptor, let base = UnsafeMutableRawPointer(bitPattern: slab.base) else { return }
      CLocalSocket_destroy_memory(descriptor, base, slab.capacity)
    }, hasDescriptors: true)
}
