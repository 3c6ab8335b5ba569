internal import NIOCore
internal import Synchronization

/// The open TCP connections of the server. Limits how many are open at once, and for how long each may stay open.
/// Thread-safe.
final class BoundedConnections: Sendable {
  private let maximum: Int
  /// The open connections, the oldest first.
  private let open = Mutex<[any Channel]>([])

  init(maximum: Int) { self.maximum = maximum }

  var count: Int { open.withLock(\.count) }

  /// Adds a new connection. When there are then more than the maximum, closes the oldest connection.
  ///
  /// - Parameter patience: the time after which the new connection is closed, if it is still open.
  func admit(_ channel: any Channel, for patience: TimeAmount) {
    let surplus: (any Channel)? = open.withLock { open in
      open.append(channel)
      return open.count > maximum ? open.removeFirst() : nil
    }
    surplus?.close(promise: nil)
    let deadline = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { [self] _ in
      deadline.cancel()
      open.withLock { $0.removeAll { $0 === channel } }
    }
  }
}
