internal import CLocalSocket
public import CaptureCore
internal import Glibc
public import Logging
internal import Synchronization

/// Takes connections of this user's programs on a Unix socket. Knows no cameras.
///
/// One thread accepts, one for each connection reads.
public final class LocalServer: Sendable {
  /// Connections at once; more are closed at once.
  static let maximumConnections = 64

  private let path: String
  let listener: Int32
  private let logger: Logger
  private let connections: AsyncStream<LocalConnection>
  private let accepted: AsyncStream<LocalConnection>.Continuation
  private let open = Mutex(0)
  private let isEnding = Atomic(false)

  /// Listens from now on, and begins to accept in ``run(_:)``.
  ///
  /// - Throws: `invalidArgument` with the system's reason: the path is too long, taken, or its folder is not there.
  public init(path: String, logger: Logger) throws(CaptureError) {
    self.path = path
    self.logger = logger
    guard FrameMemory.shared.isAvailable else {
      throw CaptureError(.invalidArgument, "this kernel has no memory that can be sealed; 5.1 and later have.")
    }
    listener = CLocalSocket_listen(path)
    guard listener >= 0 else {
      throw CaptureError(
        .invalidArgument, String(cString: strerror(-listener)) + ".", metadata: ["local_socket": path])
    }
    (connections, accepted) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumConnections))
  }

  deinit { close(listener) }

  /// Serves until the task is cancelled; then every connection ends, and the socket's file goes. When no more connections can
  /// be taken that is logged, and those that are there are served on.
  ///
  /// - Parameter serve: called for each connection, which closes when it returns.
  public func run(_ serve: @escaping @Sendable (LocalConnection) async -> Void) async {
    do { try WorkerThread.start(name: "local-accept") { self.accept() } } catch {
      logger.error("no program can get frames locally", metadata: ["cause": "\(error.message)"])
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
      var user: uid_t = 0
      let descriptor = CLocalSocket_accept(listener, &user)
      if descriptor == -EMFILE || descriptor == -ENFILE || descriptor == -ENOMEM || descriptor == -ENOBUFS {
        // The connection stays in the queue; when some other descriptor is closed there is room again.
        usleep(100_000)
        continue
      }
      guard descriptor >= 0 else {
        // -EINVAL: shut down, as by the end of ``run(_:)``.
        if descriptor != -EINVAL || !isEnding.load(ordering: .acquiring) {
          logger.error(
            "no more programs can get frames locally", metadata: ["cause": "\(String(cString: strerror(-descriptor)))"])
        }
        return
      }
      let connection = LocalConnection(descriptor)
      guard Self.isAllowed(user, of: geteuid()) else {
        logger.notice("refused another user's program", metadata: ["user": "\(user)"])
        continue
      }
      let hasRoom = open.withLock { open in
        guard open < Self.maximumConnections else { return false }
        open += 1
        return true
      }
      guard hasRoom else {
        logger.notice("refused a program beyond the most that are served")
        continue
      }
      if case .enqueued = accepted.yield(connection) { continue }
      connection.close()
      open.withLock { $0 -= 1 }
    }
  }

  /// Frames are for the daemon's own user, root not excepted: who may become that user can do so.
  static func isAllowed(_ user: uid_t, of own: uid_t) -> Bool { user == own }
}
