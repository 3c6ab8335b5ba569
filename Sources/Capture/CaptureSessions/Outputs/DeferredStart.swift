internal import CaptureCore

/// Decides when the deferred outputs of a commit are prepared. A value. Deferred start succeeds only once for each
/// commit, regardless of how many triggers there are.
struct DeferredStart: Hashable, Sendable {
  enum Action: Hashable {
    case emit(SessionEvent)
    /// Prepare these outputs, then report the outcome of the run with this number to ``DeferredStart/ended(_:_:)``.
    case prepare([String], run: Int)
    /// Start the timer that runs deferred start even if no reader takes a frame.
    case armFallback
  }

  private enum State: Hashable {
    /// No output is deferred, or all deferred outputs are prepared.
    case done
    /// The deferred outputs wait until the session runs.
    case armed
    /// The deferred outputs wait for their trigger. Without a request, the trigger is the first frame that a reader
    /// gets, provided that every undeferred streaming output with readers has sent one.
    case pending
    case running
    /// An output could not be prepared. Only a request runs deferred start again, so that it does not fail over and
    /// over.
    case failed
  }

  private var state = State.done
  private var deferred: [String] = []
  private var lastRun = 0
  private var triggers: Set<String> = []
  /// The outputs of ``triggers`` that have sent no frame since the commit or the last stop.
  private var expecting: Set<String> = []
  private var isAutomatic = true
  /// Whether a run opens cameras, which a stop closes again.
  private var opensCameras = false

  /// Whether no output is deferred, or all deferred outputs are prepared.
  var isOver: Bool { state == .done }

  /// Takes over a commit. Must not be called while outputs are being prepared.
  ///
  /// - Parameters:
  ///   - deferred: the ids of the deferred outputs that are not prepared: those that the commit added or replaced.
  ///   - triggers: the ids of the undeferred outputs that stream to readers.
  ///   - cameras: whether cameras of the configuration open with deferred start.
  ///   - areClosed: whether one of these cameras is closed, so that a run has to open it; nil when all are.
  ///   - automatic: whether deferred start runs by itself.
  ///   - isRunning: whether the session runs.
  ///   - hasFrame: as in ``sessionStarted(hasFrame:read:)``.
  ///   - read: as in ``sessionStarted(hasFrame:read:)``.
  mutating func commit(
    deferred: [String], cameras: Bool = false, areClosed: Bool? = nil, triggers: Set<String>, automatic: Bool,
    isRunning: Bool, hasFrame: Bool = false, read: Set<String> = []
  ) -> [Action] {
    self.deferred = deferred
    self.triggers = triggers
    expecting = triggers
    isAutomatic = automatic
    opensCameras = cameras
    state = deferred.isEmpty && !(cameras && areClosed ?? true) ? .done : .armed
    return isRunning ? sessionStarted(hasFrame: hasFrame, read: read) : []
  }

  /// Notes that the device streams.
  ///
  /// - Parameters:
  ///   - hasFrame: whether the first frame of the stream has come already. ``firstFrameCaptured()`` was then called too
  ///     early to count, or will not be called again.
  ///   - read: the ids of the outputs that have readers now.
  mutating func sessionStarted(hasFrame: Bool = false, read: Set<String> = []) -> [Action] {
    guard state == .armed else { return [] }
    state = .pending
    guard hasFrame else { return [] }
    // A reader may have had its first frame before the start returned.
    return isAutomatic && isShown(to: read) ? run() : firstFrameCaptured()
  }

  /// Notes that the first frame of a stream was captured.
  mutating func firstFrameCaptured() -> [Action] {
    guard state == .pending, isAutomatic else { return [] }
    return triggers.isEmpty ? run() : [.armFallback]
  }

  /// Notes that a reader of `output` was handed a frame.
  ///
  /// - Parameter read: the ids of the outputs that have readers now. Deferred start does not wait for the first frame
  ///   of other outputs, because no reader misses it.
  mutating func frameSent(from output: String, read: Set<String>) -> [Action] {
    guard expecting.remove(output) != nil, isShown(to: read), state == .pending, isAutomatic else { return [] }
    return run()
  }

  /// Whether at least one output has sent a frame, and every output with readers has sent one.
  private func isShown(to read: Set<String>) -> Bool {
    expecting.count < triggers.count && expecting.isDisjoint(with: read)
  }

  /// Runs deferred start because the time for readers to take a first frame is over.
  mutating func fallbackFired() -> [Action] {
    guard state == .pending, isAutomatic else { return [] }
    return run()
  }

  /// Runs deferred start because a client asks for it, a capture needs a deferred output, or the trigger has come.
  mutating func run() -> [Action] {
    guard state != .done, state != .running else { return [] }
    state = .running
    lastRun += 1
    return [.emit(.willRunDeferredStart(outputs: deferred)), .prepare(deferred, run: lastRun)]
  }

  /// Notes that a run ended: every output is prepared, or one failed with `error`.
  mutating func ended(_ run: Int, _ error: CaptureError?) -> [Action] {
    // A stop has broken off this run, so there is nothing to report.
    guard state == .running, run == lastRun else { return [] }
    state = error == nil ? .done : .failed
    return [.emit(error.map { .runtimeError($0, input: nil) } ?? .didRunDeferredStart(outputs: deferred))]
  }

  /// Notes that the session stopped. Outputs that are not prepared wait for the next start.
  mutating func sessionStopped() {
    expecting = triggers
    guard state != .done || opensCameras else { return }
    if state == .done { deferred = [] }
    state = .armed
  }
}
