/// When the deferred outputs of a commit start, as a value. Once per commit, whatever asks for it.
struct DeferredStart: Hashable, Sendable {
  enum Action: Hashable {
    /// Prepare these outputs.
    case run([String])
    /// Run after a while even without a reader.
    case armFallback
  }

  private enum State: Hashable {
    /// Nothing is deferred, or it has all been started.
    case done
    /// Waits for the session to run.
    case armed
    /// Waits for its trigger: every output in `waitingFor` to send its first frame, unless manual.
    case pending(waitingFor: Set<String>)
  }

  private var state = State.done
  private var deferred: [String] = []
  private var triggers: Set<String> = []
  private(set) var isAutomatic = true

  /// Whether deferred start is still to come in this commit.
  var isWaiting: Bool { state != .done }

  /// A commit. `deferred` are the outputs it added or rebuilt that are to wait; `triggers` the undeferred ones that
  /// stream to readers. `hasFrame`: as in ``sessionStarted(hasFrame:)``.
  mutating func commit(
    deferred: [String], triggers: Set<String>, automatic: Bool, isRunning: Bool, hasFrame: Bool = false
  ) -> [Action] {
    self.deferred = deferred
    self.triggers = triggers
    isAutomatic = automatic
    state = deferred.isEmpty ? .done : .armed
    return isRunning ? sessionStarted(hasFrame: hasFrame) : []
  }

  /// The device streams.
  ///
  /// - Parameter hasFrame: the stream's first frame has come already, so that ``firstFrameCaptured()`` was called too
  ///   early to count, or will not be called again.
  mutating func sessionStarted(hasFrame: Bool = false) -> [Action] {
    guard state == .armed else { return [] }
    state = .pending(waitingFor: triggers)
    return hasFrame ? firstFrameCaptured() : []
  }

  /// The first frame of a stream was captured.
  mutating func firstFrameCaptured() -> [Action] {
    guard case .pending = state, isAutomatic else { return [] }
    return [.armFallback]
  }

  /// A reader of `output` was handed a frame.
  mutating func frameSent(from output: String) -> [Action] {
    guard case .pending(var waitingFor) = state, isAutomatic, waitingFor.remove(output) != nil else { return [] }
    state = .pending(waitingFor: waitingFor)
    return waitingFor.isEmpty ? run() : []
  }

  /// Nobody looked for a while.
  mutating func fallbackFired() -> [Action] {
    guard case .pending = state, isAutomatic else { return [] }
    return run()
  }

  /// A client asked for it, or a capture needs a deferred output.
  mutating func run() -> [Action] {
    guard state != .done else { return [] }
    state = .done
    return [.run(deferred)]
  }

  /// The session stopped before it ran.
  mutating func sessionStopped() {
    if case .pending = state { state = .armed }
  }
}
