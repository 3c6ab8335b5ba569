internal import CaptureCore

/// When the deferred outputs of a commit start, as a value. Once per commit, whatever asks for it.
struct DeferredStart: Hashable, Sendable {
  enum Action: Hashable {
    case emit(SessionEvent)
    /// Prepare these outputs, and say with ``DeferredStart/ended(_:_:)`` how run number `run` went.
    case prepare([String], run: Int)
    /// Call ``DeferredStart/fallbackFired(_:)`` with this number after a while, for a session without a reader.
    case armFallback(Int)
  }

  private enum State: Hashable {
    /// Nothing is deferred, or it has all been begun.
    case done
    /// Waits for the session to run.
    case armed
    /// Waits for its trigger: a first frame of every undeferred streaming output, or a request.
    case pending
    /// Could not be prepared: waits for a request.
    case failed
  }

  private var state = State.done
  /// Not begun.
  private var waiting: [String] = []
  /// Begun and not ended, by number. More than one while a commit adds outputs as former ones are being prepared.
  private var runs: [Int: [String]] = [:]
  private var lastRun = 0
  private var triggers: Set<String> = []
  /// Of `triggers`, those that sent nothing since the commit or the last stop.
  private var expecting: Set<String> = []
  private var isAutomatic = true
  private var fallback = 0

  /// Whether nothing is deferred any more, nor being prepared.
  var isOver: Bool { state == .done && runs.isEmpty }

  /// A commit.
  ///
  /// - Parameters:
  ///   - deferred: the outputs that are to wait and are neither prepared nor being prepared.
  ///   - triggers: the undeferred ones that stream to readers.
  ///   - hasFrame: as in ``sessionStarted(hasFrame:)``.
  mutating func commit(
    deferred: [String], triggers: Set<String>, automatic: Bool, isRunning: Bool, hasFrame: Bool = false
  ) -> [Action] {
    waiting = deferred
    self.triggers = triggers
    expecting = triggers
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
    state = .pending
    guard hasFrame else { return [] }
    // A reader may have had its first frame before the start returned.
    return isAutomatic && expecting.isEmpty ? run() : firstFrameCaptured()
  }

  /// The first frame of a stream was captured.
  mutating func firstFrameCaptured() -> [Action] {
    guard state == .pending, isAutomatic else { return [] }
    if triggers.isEmpty { return run() }
    fallback += 1
    return [.armFallback(fallback)]
  }

  /// A reader of `output` was handed a frame.
  mutating func frameSent(from output: String) -> [Action] {
    guard expecting.remove(output) != nil, expecting.isEmpty, state == .pending, isAutomatic else { return [] }
    return run()
  }

  /// Nobody looked for a while.
  mutating func fallbackFired(_ number: Int) -> [Action] {
    guard number == fallback, state == .pending, isAutomatic else { return [] }
    return run()
  }

  /// A client asked for it, or a capture needs a deferred output.
  mutating func run() -> [Action] {
    guard state != .done else { return [] }
    state = .done
    lastRun += 1
    runs[lastRun] = waiting
    defer { waiting = [] }
    return [.emit(.willRunDeferredStart(outputs: waiting)), .prepare(waiting, run: lastRun)]
  }

  /// Every output of a run is prepared, or one could not be.
  mutating func ended(_ run: Int, _ error: CaptureError?) -> [Action] {
    // Broken off by a stop meanwhile: those outputs wait for the next start.
    guard let outputs = runs.removeValue(forKey: run) else { return [] }
    guard let error else { return [.emit(.didRunDeferredStart(outputs: outputs))] }
    waiting += outputs
    if state == .done { state = .failed }
    return [.emit(.runtimeError(error))]
  }

  /// The session stopped: what was not ready by then starts again with the next start.
  mutating func sessionStopped() {
    waiting += runs.sorted { $0.key < $1.key }.flatMap(\.value)
    runs = [:]
    expecting = triggers
    if !waiting.isEmpty { state = .armed }
  }
}
