public import CaptureCore
public import Logging
internal import Synchronization

/// Watches how hot and how loaded the machine is and tells whoever wants to know. Thread-safe.
///
/// ```swift
/// let monitor = PressureMonitor(reader: PressureReader(), logger: logger)
/// async let polling: Void = monitor.run()
/// for await state in monitor.watch() { … }
/// ```
public final class PressureMonitor: Sendable {
  /// How often everything is read, nanoseconds.
  struct Intervals: Sendable {
    /// Far from any level: heat takes longer than this to build up.
    var cool: UInt64 = 2_000_000_000
    /// Just below the promised second, which so includes the reading itself.
    var warm: UInt64 = 900_000_000
    /// However often the kernel has news: so no watcher hears of more than four readings a second.
    var least: UInt64 = 250_000_000
    /// What the kernel cools with, while all is cool: a few files for each processor, none of which is urgent.
    var cooling: UInt64 = 10_000_000_000
    /// Until the next try, where the system gave no thread.
    var retry: UInt64 = 10_000_000_000
    /// For how long counts what a camera told of itself.
    var cameraPatience: UInt64 = 10_000_000_000
  }

  struct State {
    var model: PressureModel
    /// What was read.
    var measured: PressureState
    /// The same, unless there is a drill.
    var current: PressureState
    /// What watchers know. Only the polling thread tells them, so that none hears of an older state after a newer one.
    var told: PressureState
    var drill: PressureDrill?
    var history = PressureHistory()
    var cameras: [CameraTemperature] = []
    /// When they were told, CLOCK_MONOTONIC.
    var camerasTold: UInt64 = 0
    var watchers: [UInt64: Watcher] = [:]
    var nextWatcher: UInt64 = 0
    var hasEnded = false
    var mustStop = false
  }

  struct Watcher {
    let scope: PressureScope
    let continuation: AsyncStream<PressureUpdate>.Continuation
  }

  private let reader: PressureReader
  private let intervals: Intervals
  private let logger: Logger
  let state: Mutex<State>
  /// What was told, of everything: for watchers who come back. Written by the polling thread only, under `state`.
  let log = EventLog<PressureState>()
  private let wait: PollWait
  private let startThread: StartThread

  /// Runs its argument on a new thread.
  typealias StartThread = @Sendable (@escaping @Sendable () -> Void) throws(CaptureError) -> Void

  /// Reads once, so that there is a true state from the start; that blocks for some files' time.
  ///
  /// - Parameter overrides: thresholds in place of zones' own trips.
  public convenience init(
    reader: PressureReader, overrides: ThresholdOverrides = ThresholdOverrides(), logger: Logger
  ) {
    self.init(reader: reader, overrides: overrides, logger: logger, events: ThermalEvents(), intervals: Intervals())
  }

  init(
    reader: PressureReader, overrides: ThresholdOverrides = ThresholdOverrides(), logger: Logger,
    events: ThermalEvents?, intervals: Intervals,
    startThread: @escaping StartThread = { body throws(CaptureError) in
      try WorkerThread.start(name: "pressure", body)
    }
  ) {
    self.reader = reader
    self.startThread = startThread
    self.intervals = intervals
    self.logger = logger
    self.wait = PollWait(events: events)
    var model = PressureModel(overrides: overrides)
    let first = model.update(reader.read())
    var state = State(model: model, measured: first, current: first, told: first)
    state.history.record(first.scoped(to: .machine))
    self.state = Mutex(state)
    log.append(first.forLog)
    logger.info(
      first.readings.isEmpty
        ? "nothing on this machine tells of heat or load: system pressure stays nominal" : "system pressure is watched",
      metadata: [
        "pressure.level": "\(first.level)", "thermal.zones": "\(first.readings.zones.count)",
        "thermal.sensors": "\(first.readings.sensors.count)", "thermal.events": "\(events != nil)",
        "stalls": "\(first.readings.stalls.count)",
      ])
    for fault in first.readings.faults {
      logger.warning("what tells of heat or load could not be read", metadata: ["fault": "\(fault)"])
    }
  }

  /// The machine's newest state, at most one polling interval old while ``run()`` runs; what the kernel cools with at most
  /// 10 s more while all is cool.
  public var current: PressureState { state(of: .machine) }

  /// The newest state of `scope`, at most one polling interval old while ``run()`` runs.
  public func state(of scope: PressureScope) -> PressureState { state.withLock { $0.current }.scoped(to: scope) }

  /// Takes what cameras tell of their temperature, in place of what they told before; it counts with the next reading,
  /// and for 10 s: who asks them may hang at one of them.
  ///
  /// - Parameter cameras: each device once.
  public func setCameras(_ cameras: [CameraTemperature]) {
    state.withLock { ($0.cameras, $0.camerasTold) = (cameras, SystemClock.monotonicNanoseconds()) }
  }

  /// Level and temperatures by the minute, the oldest first. Drills are not in it.
  ///
  /// - Parameters:
  ///   - range: nanoseconds since the Unix epoch.
  ///   - count: when there were more minutes, neighbours are merged. At least 1.
  public func history(in range: Range<UInt64>, atMost count: Int) -> [PressureHistoryPoint] {
    state.withLock { $0.history }.points(in: range, atMost: count)
  }

  /// Adds a level to what is read, in place of an earlier drill. Nominal ends the drill. Watchers hear of it at once.
  ///
  /// - Parameter nanoseconds: for how long.
  /// - Returns: the machine's state from now on.
  @discardableResult
  public func simulate(_ level: PressureLevel, _ factor: PressureFactor, nanoseconds: UInt64) -> PressureState {
    let end = SystemClock.monotonicNanoseconds() + nanoseconds
    let drill = PressureDrill(level: level, factor: factor, endMonotonicNanoseconds: end)
    let state = state.withLock { state in
      state.drill = level > .nominal ? drill : nil
      Self.refresh(&state)
      return state.current
    }
    wait.wake()
    return state.scoped(to: .machine)
  }

  /// Polls on a thread of its own until the task is cancelled; returns when a reading under way has ended, too.
  /// To be called once. While the system gives no thread, the state says so among its faults, and it tries again.
  public func run() async {
    await withTaskCancellationHandler {
      while let error = await poll() {
        tellUnwatched(error)
        guard (try? await Task.sleep(nanoseconds: intervals.retry)) != nil else { break }
      }
    } onCancel: {
      state.withLock { $0.mustStop = true }
      wait.wake()
    }
    endWatchers()
  }

  /// - Returns: nil once it was stopped, or why it did not begin.
  private func poll() async -> CaptureError? {
    await withCheckedContinuation { continuation in
      do throws(CaptureError) {
        try startThread { [self] in
          pollUntilStopped()
          continuation.resume(returning: nil)
        }
      } catch {
        continuation.resume(returning: error)
      }
    }
  }

  private func tellUnwatched(_ error: CaptureError) {
    logger.error("system pressure is not watched", metadata: ["error": "\(error.message)"])
    let fault = "system pressure is not watched: \(error.message)"
    state.withLock { state in
      if !state.measured.readings.faults.contains(fault) { state.measured.readings.faults.insert(fault, at: 0) }
      Self.refresh(&state)
    }
  }

  private func endWatchers() {
    let watchers = state.withLock { state in
      state.hasEnded = true
      defer { state.watchers = [:] }
      return state.watchers
    }
    for watcher in watchers.values { watcher.continuation.finish() }
  }

  private func pollUntilStopped() {
    var (cooling, coolingRead) = (CoolingReadings(), nil as UInt64?)
    while true {
      let began = SystemClock.monotonicNanoseconds()
      var hasNews = wait.wait(nanoseconds: pause(at: began))
      while true {
        if state.withLock({ $0.mustStop }) { return }
        // A drill is told at once, even where it is too early to read.
        tell()
        let elapsed = SystemClock.monotonicNanoseconds() - began
        guard elapsed < intervals.least else { break }
        hasNews = wait.wait(nanoseconds: intervals.least - elapsed) || hasNews
      }
      let now = SystemClock.monotonicNanoseconds()
      let isDue = coolingRead.map { now - $0 >= intervals.cooling } ?? true
      if isDue || hasNews || state.withLock(\.model.isWarm) {
        (cooling, coolingRead) = (reader.readCooling(), now)
      } else {
        reader.refreshThrottling(&cooling)
      }
      var readings = reader.read(with: cooling)
      state.withLock { state in
        let age = SystemClock.monotonicNanoseconds() &- state.camerasTold
        readings.cameras = age < intervals.cameraPatience ? state.cameras : []
        state.measured = state.model.update(readings)
        state.history.record(state.measured.scoped(to: .machine))
        Self.refresh(&state)
      }
      tell()
    }
  }

  /// Until the next reading: to the end of a drill at most.
  private func pause(at now: UInt64) -> UInt64 {
    state.withLock { state in
      let interval = state.model.isWarm ? intervals.warm : intervals.cool
      guard let end = state.drill?.endMonotonicNanoseconds else { return interval }
      return min(interval, end > now ? end - now : 0)
    }
  }

  private static func refresh(_ state: inout State) {
    let now = SystemClock.monotonicNanoseconds()
    if let drill = state.drill, drill.endMonotonicNanoseconds <= now { state.drill = nil }
    state.current = state.drill?.applied(to: state.measured) ?? state.measured
  }

  /// Tells watchers when level or factors have changed. On the polling thread only.
  private func tell() {
    let (old, new, number, watchers) = state.withLock { state in
      let old = state.told
      state.told = state.current
      // Level and factors of every scope come of these.
      guard old.causes != state.told.causes else { return (old, state.told, log.lastID, [Watcher]()) }
      return (old, state.told, log.append(state.told.forLog), Array(state.watchers.values))
    }
    for watcher in watchers {
      let (before, now) = (old.scoped(to: watcher.scope), new.scoped(to: watcher.scope))
      guard watcher.scope == .everything || before.isUnlike(now) else { continue }
      watcher.continuation.yield(PressureUpdate(state: now, number: number))
    }
    guard old.isUnlike(new) else { return }
    logger.info(
      "system pressure changed",
      metadata: [
        "pressure.from": "\(old.level)", "pressure.level": "\(new.level)",
        "pressure.sources": "\(new.causes.map(\.source).prefix(8).joined(separator: " "))",
      ])
  }
}

extension PressureModel {
  fileprivate mutating func update(_ readings: PressureReadings) -> PressureState {
    update(
      readings, monotonicNanoseconds: SystemClock.monotonicNanoseconds(), wallNanoseconds: SystemClock.wallNanoseconds()
    )
  }
}
