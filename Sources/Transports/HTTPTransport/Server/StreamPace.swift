internal import CTCP
internal import NIOCore
internal import NIOPosix

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
