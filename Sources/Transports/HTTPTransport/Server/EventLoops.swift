internal import NIOCore
internal import NIOPosix
internal import Locking

/// The threads of HTTP servers. A server borrows one while it runs, and none is ever ended.
///
/// A thread that brings a picture, or a task whose memory the runtime frees a moment after its end, may still hand
/// something to an event loop when the server has ended. SwiftNIO takes a loop that was shut down for a fault then, and
/// nothing tells when the last of them is gone. A loop that lives as long as the process has no such moment.
///
/// Thread-safe.
enum EventLoops {
  private static let free = Locked<[any EventLoopGroup]>([])

  /// Returns a group of one thread that no other server has, until ``giveBack(_:)``.
  static func borrow() -> any EventLoopGroup {
    free.withLock { $0.popLast() } ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }

  /// Lets the next server have the group. All connections of the server have ended.
  static func giveBack(_ group: any EventLoopGroup) { free.withLock { $0.append(group) } }
}
