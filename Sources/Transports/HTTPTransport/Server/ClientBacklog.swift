internal import CTCP
internal import NIOCore
internal import NIOPosix

/// Estimates how many bytes wait unread in the kernel of a client, as a value.
///
/// The kernel of a stopped client still acknowledges bytes, until its receive buffer is full of stale pictures. But the
/// window that it offers shrinks by every byte that the client's process does not read. `cgrpc::Connection` estimates
/// the same for connections of gRPC.
struct ClientBacklog: Hashable, Sendable {
  /// What the kernel knows of the connection at one moment.
  struct Look: Hashable, Sendable {
    /// The window that the client offers, in bytes.
    var window: Int
    /// The number of bytes that the client's kernel has acknowledged.
    var acknowledged: UInt64
    /// The number of bytes that the client has sent.
    var received: UInt64
  }

  /// The number of bytes that may always be unread. It is a third of a second of JPEG at 30 frames per second.
  static let alwaysAllowed = 1 << 20
  /// The accuracy of windows in bytes: windows are rounded, and the kernel knows them only as of the last
  /// acknowledgement.
  static let tolerance = 256 << 10
  /// The time after which a stream goes on for the first time although the client seems to be stopped.
  static let patience = Duration.seconds(5)

  /// The number of bytes that seemed to be unread at the last look.
  private(set) var unread = 0
  /// The widest window that the client has offered, less what it may have shrunk.
  private var widestWindow = 0
  private var last = Look(window: 0, acknowledged: 0, received: 0)
  private var patience = Self.patience

  /// Takes note of a look.
  mutating func take(_ look: Look) {
    widestWindow = max(widestWindow, look.window)
    unread = widestWindow - look.window
    if look.received != last.received {
      // The client has sent something, so its process runs, and it has probably read what came before the last look.
      unread = min(unread, Int(look.acknowledged - last.acknowledged), Self.alwaysAllowed)
      widestWindow = look.window + unread
    }
    last = look
    if unread <= Self.alwaysAllowed / 2 { patience = Self.patience }
  }

  /// Returns whether the next message must wait, because more bytes than the last message has, and more than a
  /// megabyte, are unread.
  ///
  /// The client's kernel may also make its window smaller for good, which looks as if the client was stopped. Therefore
  /// one message may go after 5 seconds, the next one after 10 more, and so on. If the client reads it, the window
  /// stays as it is, and all other messages may go, too.
  ///
  /// - Parameters:
  ///   - bytes: the length of the last message.
  ///   - waited: the time since the last message was written.
  mutating func isTooLarge(after bytes: Int, waited: Duration) -> Bool {
    let allowed = max(bytes + Self.tolerance, Self.alwaysAllowed)
    guard unread > allowed else { return false }
    guard waited >= patience else { return true }
    patience *= 2
    unread = allowed - Self.tolerance
    widestWindow = last.window + unread
    return false
  }
}

/// Holds a stream back while the client does not read. NIO reports a write as done when this machine's kernel has the
/// bytes; the next picture of a stream must also wait while many bytes are unread in the client's kernel, or a client
/// that was stopped would get seconds of stale pictures.
///
/// Used on the event loop of the connection only.
final class StreamPace {
  private let channel: any Channel
  private var backlog = ClientBacklog()
  /// The number of bytes that were written since the kernel was asked. Asking costs about as much as a tenth of a small
  /// write, so the kernel is asked only when so many bytes were written that they could matter. The first write is
  /// asked for in any case, because the client's window is widest then.
  private var written = ClientBacklog.alwaysAllowed

  init(_ channel: any Channel) { self.channel = channel }

  /// Calls `completion` when the next message may go.
  ///
  /// - Parameter bytes: the length of the message that the kernel has just taken.
  func wrote(_ bytes: Int, _ completion: @escaping @Sendable () -> Void) {
    written += bytes
    guard backlog.unread + written > ClientBacklog.alwaysAllowed / 2 else { return completion() }
    settle(bytes, waited: .zero, completion)
  }

  private func settle(_ bytes: Int, waited: Duration, _ completion: @escaping @Sendable () -> Void) {
    guard look(), backlog.isTooLarge(after: bytes, waited: waited) else { return completion() }
    if waited == .zero { askForWindow() }
    let pause = min(max(waited / 4, .milliseconds(1)), .milliseconds(50))
    // Nothing reports that the client's window has widened.
    channel.eventLoop.assumeIsolated().scheduleTask(in: .init(pause)) { [self] in
      settle(bytes, waited: waited + pause, completion)
    }
  }

  /// Asks the kernel. Returns false when it does not know, for example because the connection is closed.
  private func look() -> Bool {
    written = 0
    var progress = CTCP_progress()
    guard withDescriptor({ CTCP_read_progress($0, &progress) }) == true else { return false }
    backlog.take(
      ClientBacklog.Look(
        window: Int(progress.window), acknowledged: progress.acknowledged, received: progress.received))
    return true
  }

  private func askForWindow() { _ = withDescriptor { CTCP_ask_for_window($0) } }

  private func withDescriptor<R>(_ body: (CInt) -> R) -> R? {
    try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, body)
  }
}
