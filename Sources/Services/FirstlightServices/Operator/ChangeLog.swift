internal import CaptureCore
internal import Locking
internal import Logging
internal import RPCCore
internal import SystemClocks

/// Logs the calls that change something for other clients, each with its peer, so that an operator can find out who
/// stopped a session. Of each method and each client's address, so many calls a minute are logged as ``LogAllowance``
/// says, refused ones apart, so that no client can silence the log for another. Thread-safe.
final class ChangeLog: Sendable {
  /// A line that waits for ``tellStarts()``.
  private struct Start {
    let context: CallContext
    let resource: String
    let omitted: Int
  }

  private let logger: Logger
  private struct Source: Hashable {
    let method: MethodName
    /// The client's address without its port.
    let address: Substring
    let isRefused: Bool
  }

  /// The most sources that have an allowance of their own. With more, all begin a new minute.
  private static let sources = 1024
  /// The most characters of a resource's name that go into a line.
  private static let nameLength = 100

  private let allowances = Locked<[Source: LogAllowance]>([:])
  /// The lines that wait. ``LogAllowance`` bounds their number.
  private let starts = Locked<[Start]>([])

  /// Makes a log that writes to `logger`.
  init(_ logger: Logger) { self.logger = logger }

  /// Notes that a call succeeded.
  ///
  /// - Parameter resource: the name of what the call changed.
  func tell(_ context: CallContext, _ resource: String) {
    if let omitted = take(context) { log(.info, Self.changed, context, resource, omitted) }
  }

  /// Notes that a call started a session. The line waits for ``tellStarts()``, since writing it takes time that the
  /// launch needs.
  func tellStart(_ context: CallContext, _ resource: String) {
    guard let omitted = take(context) else { return }
    starts.withLock { $0.append(Start(context: context, resource: resource, omitted: omitted)) }
  }

  /// Writes the lines that wait.
  func tellStarts() {
    let waiting = starts.withLock { starts in
      defer { starts = [] }
      return starts
    }
    for start in waiting { log(.info, Self.changed, start.context, start.resource, start.omitted) }
  }

  /// Notes that a call failed. The log has only calls that were refused because the caller is no operator; all others
  /// changed nothing, and ``CallLog`` has them.
  func tell(_ context: CallContext, _ resource: String, _ error: any Error) {
    guard let error = error as? CaptureError, [.operatorRequired, .sessionDeclared].contains(error.reason),
      let omitted = take(context, isRefused: true)
    else { return }
    let message: Logger.Message = "A client may not change what the operator declared."
    log(.notice, message, context, resource, omitted, ["error.type": "\(error.reason.rawValue)"])
  }

  private static let changed: Logger.Message = "A client changed something."

  private func take(_ context: CallContext, isRefused: Bool = false) -> Int? {
    let peer = context.peer
    let address = peer.lastIndex(of: ":").map { peer[..<$0] } ?? peer[...]
    let source = Source(method: context.method, address: address, isRefused: isRefused)
    return allowances.withLock { allowances in
      if allowances.count >= Self.sources, allowances[source] == nil { allowances = [:] }
      return allowances[source, default: LogAllowance()].take(at: .now())
    }
  }

  /// A name as a client sent it, without what would begin another line or fill the log.
  private static func shown(_ name: String) -> String {
    String(name.prefix(nameLength).map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 32 } ? "?" : $0 })
  }

  private func log(
    _ level: Logger.Level, _ message: Logger.Message, _ context: CallContext, _ resource: String, _ omitted: Int,
    _ more: Logger.Metadata = [:]
  ) {
    var metadata: Logger.Metadata = [
      "rpc.resource": "\(Self.shown(resource))", "rpc.method": "\(context.method.path)",
      "network.peer": "\(context.peer)",
    ]
    if let process = context.principal.process {
      metadata["network.peer"] = "\(context.peer) (process \(process.processID), user \(process.userID))"
    }
    metadata.merge(more) { $1 }
    if omitted > 0 { metadata["log.omitted"] = "\(omitted)" }
    logger.log(level: level, message, metadata: metadata)
  }
}

extension CameraServices {
  /// Writes into the log who started sessions. Call it once a second.
  public func tellStarts() { changes.tellStarts() }
}

/// How many lines a minute go into the log, as a value. Lines above that are counted, and the next line that goes into
/// the log tells how many were left out.
struct LogAllowance: Hashable, Sendable {
  /// The most lines in a minute.
  static let lines = 20

  private static let minute: UInt64 = 60_000_000_000
  private var start: MonotonicInstant?
  private var used = 0
  private var omitted = 0

  /// Asks whether a line may go into the log.
  ///
  /// - Returns: how many lines were left out since the last one that went in; nil when this one must be left out, too.
  mutating func take(at now: MonotonicInstant) -> Int? {
    if start.map({ now.nanoseconds(since: $0) >= Self.minute }) ?? true { (start, used) = (now, 0) }
    guard used < Self.lines else {
      omitted += 1
      return nil
    }
    used += 1
    defer { omitted = 0 }
    return omitted
  }
}
