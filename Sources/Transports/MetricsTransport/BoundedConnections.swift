internal import NIOCore
internal import Synchronization

/// The connections that are open: so many at most, each for so long at most. Thread-safe.
final class BoundedConnections: Sendable {
  private let maximum: Int
  /// The oldest first.
  private let open = Mutex<[any Channel]>([])

  init(maximum: Int) { self.maximum = maximum }

  var count: Int { open.withLock(\.count) }

  /// Takes a connection, and closes the oldest for it when there are too many.
  ///
  /// - Parameter patience: until it is closed.
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
