internal import CaptureCore

/// When the deferred outputs of a commit start, as a value. Once per commit, whatever asks for it.
struct DeferredStart: Hashable, Sendable {
  enum Action: Hashable {
    case emit(SessionEvent)
    /// Prepare these outputs, and say with ``DeferredStart/ended(_:_:)`` how run number `run` went.
    case prepare([String], run: Int)
    /// Run after the limit even if no reader takes a frame.
    case armFallback
  }

  private enum State: Hashable {
    /// Nothing is deferred, or it is all ready.
    case done
    /// Waits for the session to run.
    case armed
    /// Waits for its trigger: a first frame to a reader of every undeferred streaming output that has one, or a request.
    case pending
    case running
    /// Could not be prepared: waits for a request, lest it fail over and over.
    case failed
  }

  private var state = State.done
  private var deferred: [String] = []
  private var lastRun = 0
  private var triggers: Set<String> = []
  /// Of `triggers`, those that sent nothing since the commit or the last stop.
  private var expecting: Set<String> = []
  private var isAutomatic = true

  /// Whether nothing is deferred, or it is all ready.
  var isOver: Bool { state == .done }

  /// A commit; not while outputs are being prepared.
  ///
  /// - Parameters:
  ///   - deferred: the outputs that are to wait and are not prepared: those it added or rebuilt.
  ///   - triggers: the undeferred ones that stream to readers.
  ///   - hasFrame: as in ``sessionStarted(hasFrame:read:)``, like `read`.
  mutating func commit(
    deferred: [String], triggers: Set<String>, automatic: Bool, isRunning: Bool, hasFrame: Bool = false,
    read: Set<String> = []
  ) -> [Action] {
    self.deferred = deferred
    self.triggers = triggers
    expecting = triggers
    isAutomatic = automatic
    state = deferred.isEmpty ? .done : .armed
    return isRunning ? sessionStarted(hasFrame: hasFrame, read: read) : []
  }

  /// The device streams.
  ///
  /// - Parameters:
  ///   - hasFrame: the stream's first frame has come already, so that ``firstFrameCaptured()`` was called too early to
  ///     count, or will not be called again.
  ///   - read: the outputs that have readers now.
  mutating func sessionStarted(hasFrame: Bool = false, read: Set<String> = []) -> [Action] {
    guard state == .armed else { return [] }
    state = .pending
    guard hasFrame else { return [] }
    // A reader may have had its first frame before the start returned.
    return isAutomatic && isShown(to: read) ? run() : firstFrameCaptured()
  }

  /// The first frame of a stream was captured.
  mutating func firstFrameCaptured() -> [Action] {
    guard state == .pending, isAutomatic else { return [] }
    return triggers.isEmpty ? run() : [.armFallback]
  }

  /// A reader of `output` was handed a frame.
  ///
  /// - Parameter read: the outputs that have readers now. Nobody misses the first frame of the others, so nothing waits for it.
  mutating func frameSent(from output: String, read: Set<String>) -> [Action] {
    guard expecting.remove(output) != nil, isShown(to: read), state == .pending, isAutomatic else { return [] }
    return run()
  }

  /// Whether there was a first frame, and every output that is read has had its own.
  private func isShown(to read: Set<String>) -> Bool {
    expecting.count < triggers.count && expecting.isDisjoint(with: read)
  }

  /// Nobody took a frame in the time that there is for it, or somebody took none.
  mutating func fallbackFired() -> [Action] {
    guard state == .pending, isAutomatic else { return [] }
    return run()
  }

  /// A client asked for it, or a capture needs a deferred output.
  mutating func run() -> [Action] {
    guard state != .done, state != .running else { return [] }
    state = .running
    lastRun += 1
    return [.emit(.willRunDeferredStart(outputs: deferred)), .prepare(deferred, run: lastRun)]
  }

  /// Every output of a run is prepared, or one could not be.
  mutating func ended(_ run: Int, _ error: CaptureError?) -> [Action] {
    // Of a run that a stop broke off there is nothing to tell.
    guard state == .running, run == lastRun else { return [] }
    state = error == nil ? .done : .failed
    return [.emit(error.map { .runtimeError($0) } ?? .didRunDeferredStart(outputs: deferred))]
  }

  /// The session stopped: what was not ready by then starts again with the next start.
  mutating func sessionStopped() {
    expecting = triggers
    if state != .done { state = .armed }
  }
}
