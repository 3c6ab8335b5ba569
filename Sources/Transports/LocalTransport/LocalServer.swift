internal import CLocalSocket
public import CaptureCore
internal import Glibc
internal import Locking
public import Logging
internal import Synchronization

/// Accepts connections of this user's programs on a Unix socket. The server knows nothing of cameras.
///
/// One thread accepts connections, and each connection has a thread that reads.
public final class LocalServer: Sendable {
  /// The most connections at the same time. The server closes further connections immediately.
  static let maximumConnections = 64

  private let path: String
  let listener: Int32
  private let logger: Logger
  private let connections: AsyncStream<LocalConnection>
  private let accepted: AsyncStream<LocalConnection>.Continuation
  private let open = Locked(0)
  private let isEnding = Atomic(false)

  /// Listens from now on; ``run(_:)`` begins to accept connections.
  ///
  /// - Parameter path: where the socket file is made.
  /// - Throws: `invalidArgument` when the kernel has no sealed memory (before Linux 5.1), or with the system's reason
  ///   when the path is too long or taken, or the folder of the path does not exist.
  public init(path: String, logger: Logger) throws(CaptureError) {
    self.path = path
    self.logger = logger
    guard FrameMemory.shared.isAvailable else {
      throw CaptureError(
        .invalidArgument, "this kernel cannot seal shared memory against writing; Linux 5.1 and later can.")
    }
    listener = CLocalSocket_listen(path)
    guard listener >= 0 else {
      throw CaptureError(
        .invalidArgument, String(cString: strerror(-listener)) + ".", metadata: ["local_socket": path])
    }
    (connections, accepted) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumConnections))
  }

  deinit { close(listener) }

  /// Serves until the task is cancelled; then ends every connection and removes the socket file. When the server cannot
  /// accept further connections, the server logs an error and goes on serving the present ones.
  ///
  /// - Parameter serve: called for each connection. The server closes the connection when `serve` returns.
  public func run(_ serve: @escaping @Sendable (LocalConnection) async -> Void) async {
    do { try WorkerThread.start(name: "local-accept") { self.accept() } } catch {
      logger.error("The local socket does not serve.", metadata: ["error.message": "\(error.message)"])
    }
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        for await connection in connections {
          group.addTask {
            await serve(connection)
            connection.close()
            self.open.withLock { $0 -= 1 }
          }
        }
        group.cancelAll()
      }
    } onCancel: {
      isEnding.store(true, ordering: .releasing)
      CLocalSocket_shut_down(listener)
      accepted.finish()
    }
    unlink(path)
  }

  private func accept() {
    while true {
      var peer = CLocalSocket_peer()
      let descriptor = CLocalSocket_accept(listener, &peer)
      if descriptor == -EMFILE || descriptor == -ENFILE || descriptor == -ENOMEM || descriptor == -ENOBUFS {
        // The new connection stays in the queue of the listener. The server accepts it when another descriptor has been
        // closed.
        usleep(100_000)
        continue
      }
      guard descriptor >= 0 else {
        // accept(2) fails with EINVAL when the listener has been shut down. The cancellation of ``run(_:)`` shuts the
        // listener down, so that EINVAL is no error then.
        if descriptor != -EINVAL || !isEnding.load(ordering: .acquiring) {
          logger.error(
            "The local socket accepts no more programs.",
            metadata: ["error.message": "\(String(cString: strerror(-descriptor)))"])
        }
        return
      }
      let connection = LocalConnection(
        descriptor, of: LocalPeer(processID: peer.process, userID: peer.user, groupID: peer.group))
      guard Self.isAllowed(peer.user, of: geteuid()) else {
        logger.notice("The local socket refused another user's program.", metadata: ["peer.user": "\(peer.user)"])
        continue
      }
      let hasRoom = open.withLock { open in
        guard open < Self.maximumConnections else { return false }
        open += 1
        return true
      }
      guard hasRoom else {
        logger.notice("The local socket refused a program, because the most are connected already.")
        continue
      }
      if case .enqueued = accepted.yield(connection) { continue }
      connection.close()
      open.withLock { $0 -= 1 }
    }
  }

  /// Whether a program of `user` may connect to a daemon of the user `own`. Only the daemon's own user gets frames.
  /// Root is refused too, because root can run a program as that user.
  static func isAllowed(_ user: uid_t, of own: uid_t) -> Bool { user == own }
}
