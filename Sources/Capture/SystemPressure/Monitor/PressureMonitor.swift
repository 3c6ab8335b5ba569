public import CaptureCore
internal import Locking
public import Logging
public import SystemClocks

/// Reads regularly how hot and how loaded the machine is, and tells watchers of changes. Thread-safe.
///
/// ```swift
/// let monitor = PressureMonitor(reader: PressureReader(), logger: logger)
/// async let polling: Void = monitor.run()
/// for await state in monitor.watch() { … }
/// ```
public final class PressureMonitor: Sendable {
  /// The times between readings, in nanoseconds.
  struct Intervals: Sendable {
    /// The interval while all is far from any level above nominal: heat takes longer than this interval to build up.
    var cool: UInt64 = 2_000_000_000
    /// The interval while a level is near or above nominal. The interval is just below the promised second, so that the
    /// second includes the reading itself.
    var warm: UInt64 = 900_000_000
    /// The shortest interval, however often the kernel has news. No watcher hears of more than four readings a second.
    var least: UInt64 = 250_000_000
    /// The interval for cooling devices, frequency limits and throttle counters while all is cool. They take a few
    /// files for each processor, and none of the files is urgent.
    var cooling: UInt64 = 10_000_000_000
    /// The time until the next attempt after the system could not create a thread.
    var retry: UInt64 = 10_000_000_000
    /// How long a camera's temperature counts after the caller of ``setCameras(_:)`` told it.
    var cameraPatience: UInt64 = 10_000_000_000
  }

  struct State {
    var check: PlausibilityCheck
    var model: PressureModel
    /// The state that follows from the readings.
    var measured: PressureState
    /// The measured state with the drill's cause, if there is a drill.
    var current: PressureState
    /// The state that watchers know. Only the polling thread tells watchers, so that no watcher hears of an older state
    /// after a newer one.
    var told: PressureState
    var drill: PressureDrill?
    var history = PressureHistory()
    var cameras: [CameraTemperature] = []
    /// When the caller of ``setCameras(_:)`` told the temperatures of cameras; nil before the first call.
    var camerasTold: MonotonicInstant?
    /// When those were told that the newest reading contains.
    var camerasRead: MonotonicInstant?
    var mustStop = false
  }

  private let reader: PressureReader
  private let intervals: Intervals
  let logger: Logger
  let state: Locked<State>
  /// Every state of ``PressureScope/everything`` that watchers were told, for watchers who come back. Only the polling
  /// thread writes to the log after `init`, while it holds the lock of `state`.
  let log = EventLog<PressureState>()
  /// Tells the watchers, in the order of the log.
  let changes = Broadcast<PressureChange>(depth: 1)
  private let wait: PollWait
  private let startThread: StartThread

  /// Runs its argument on a new thread.
  typealias StartThread = @Sendable (@escaping @Sendable () -> Void) throws(CaptureError) -> Void

  /// Makes a monitor and reads once, so that there is a true state from the start. Reads again after 0.25 s when the
  /// first reading has to be confirmed. Blocks while the files are read.
  ///
  /// - Parameters:
  ///   - reader: reads the machine's files.
  ///   - overrides: thresholds that replace the trips of zones, the limits of sensors and the defaults for cameras.
  ///   - logger: gets changes of the level, and what could not be read.
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
    let nothing = PressureState(causes: [], readings: PressureReadings(), readTime: .epoch)
    var state = State(
      check: PlausibilityCheck(overrides: overrides), model: PressureModel(overrides: overrides), measured: nothing,
      current: nothing, told: nothing)
    state.take(reader.read())
    if state.check.awaitsConfirmation {
      wait.wait(nanoseconds: intervals.least)
      state.take(reader.read())
    }
    let first = state.measured
    (state.current, state.told) = (first, first)
    state.history.record(first.scoped(to: .machine))
    let findings = state.check.takeNews()
    self.state = Locked(state)
    log.append(first.forLog)
    let sources: Logger.Metadata = [
      "pressure.level": "\(first.level)", "thermal.zones": "\(first.readings.zones.count)",
      "thermal.sensors": "\(first.readings.sensors.count)", "thermal.events": "\(events != nil)",
      "stall.sources": "\(first.readings.stalls.count)",
    ]
    if first.readings.isEmpty {
      logger.info("The machine reports neither heat nor load, so system pressure stays nominal.", metadata: sources)
    } else {
      logger.info("The daemon watches system pressure.", metadata: sources)
    }
    for fault in first.readings.faults {
      logger.warning("The daemon cannot read a source of heat or load.", metadata: ["error.message": "\(fault)"])
    }
    tellOperator(findings)
  }

  /// The newest state of the machine, at most one polling interval old while ``run()`` runs. While all is cool, its
  /// cooling devices, frequency limits and throttle counters may be up to 10 s older.
  public var current: PressureState { state(of: .machine) }

  /// The newest state of `scope`, at most one polling interval old while ``run()`` runs.
  public func state(of scope: PressureScope) -> PressureState { state.withLock { $0.current }.scoped(to: scope) }

  /// Takes the temperatures of cameras, in place of those of the last call. The temperatures count from the next
  /// reading on, for 10 s: the caller may hang while it asks a camera, and old temperatures must not count meanwhile.
  ///
  /// - Parameter cameras: each device at most once.
  public func setCameras(_ cameras: [CameraTemperature]) {
    state.withLock { ($0.cameras, $0.camerasTold) = (cameras, .now()) }
  }

  /// The history of level and temperatures by the minute, the oldest first. The history does not contain drills.
  ///
  /// - Parameter count: the most points to return, at least 1. When there were more minutes, neighbours are merged.
  public func history(in range: Range<WallInstant>, atMost count: Int) -> [PressureHistoryPoint] {
    state.withLock { $0.history }.points(in: range, atMost: count)
  }

  /// Adds a simulated level to the readings, in place of an earlier drill. The level nominal ends the drill. Watchers
  /// hear of the drill at once.
  ///
  /// - Parameters:
  ///   - level: the level of the drill.
  ///   - factor: the factor of the drill.
  ///   - nanoseconds: how long the drill lasts.
  /// - Returns: the machine's state from now on.
  @discardableResult
  public func simulate(_ level: PressureLevel, _ factor: PressureFactor, nanoseconds: UInt64) -> PressureState {
    let end = MonotonicInstant.now() + nanoseconds
    let drill = PressureDrill(level: level, factor: factor, end: end)
    let state = state.withLock { state in
      state.drill = level > .nominal ? drill : nil
      Self.refresh(&state)
      return state.current
    }
    wait.wake()
    return state.scoped(to: .machine)
  }

  /// Polls on a thread of its own until the task is cancelled. Returns after a reading that is under way has ended. The
  /// caller may call `run` once.
  ///
  /// While the system cannot create a thread, the state has a fault that says so, and the monitor tries again every 10
  /// s.
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
    changes.end()
  }

  /// Runs the polling thread to its end.
  ///
  /// - Returns: nil when the thread ran and was stopped; the reason when the system could not create a thread.
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
    logger.error("The daemon does not watch system pressure.", metadata: ["error.message": "\(error.message)"])
    let fault = "system pressure is not watched: \(error.message)"
    state.withLock { state in
      if !state.measured.readings.faults.contains(fault) { state.measured.readings.faults.insert(fault, at: 0) }
      Self.refresh(&state)
    }
  }

  private func pollUntilStopped() {
    var (cooling, coolingRead) = (CoolingReadings(), nil as MonotonicInstant?)
    while true {
      let began = MonotonicInstant.now()
      var hasNews = wait.wait(nanoseconds: pause(at: began))
      while true {
        if state.withLock({ $0.mustStop }) { return }
        // Watchers hear of a drill at once, even when the time for the next reading has not come.
        tell()
        let elapsed = MonotonicInstant.now().nanoseconds(since: began)
        guard elapsed < intervals.least else { break }
        hasNews = wait.wait(nanoseconds: intervals.least - elapsed) || hasNews
      }
      let now = MonotonicInstant.now()
      let isDue = coolingRead.map { now.nanoseconds(since: $0) >= intervals.cooling } ?? true
      if isDue || hasNews || state.withLock(\.model.isWarm) {
        (cooling, coolingRead) = (reader.readCooling(), now)
      } else {
        reader.refreshThrottling(&cooling)
      }
      var readings = reader.read(with: cooling)
      let findings = state.withLock { state in
        let age = state.camerasTold.map { MonotonicInstant.now().nanoseconds(since: $0) } ?? .max
        readings.cameras = age < intervals.cameraPatience ? state.cameras : []
        state.take(readings)
        state.history.record(state.measured.scoped(to: .machine))
        Self.refresh(&state)
        return state.check.takeNews()
      }
      tell()
      tellOperator(findings)
    }
  }

  /// The time until the next reading, in nanoseconds. A reading that waits for the next one to confirm it makes the
  /// pause as short as it may be. The pause ends when a drill ends.
  private func pause(at now: MonotonicInstant) -> UInt64 {
    state.withLock { state in
      let usual = state.model.isWarm ? intervals.warm : intervals.cool
      let interval = state.check.awaitsConfirmation ? min(intervals.least, usual) : usual
      guard let end = state.drill?.end else { return interval }
      return min(interval, end.nanoseconds(since: now))
    }
  }

  private static func refresh(_ state: inout State) {
    if let drill = state.drill, drill.end <= .now() { state.drill = nil }
    state.current = state.drill?.applied(to: state.measured) ?? state.measured
  }

  /// Tells watchers when level or factors have changed. Only the polling thread may call this method.
  private func tell() {
    let (old, new) = state.withLock { state in
      let old = state.told
      state.told = state.current
      // The level and the factors of every scope follow from the causes.
      if old.causes != state.told.causes {
        changes.tell(PressureChange(before: old, now: state.told, number: log.append(state.told.forLog)))
      }
      return (old, state.told)
    }
    guard old.isUnlike(new) else { return }
    logger.info(
      "The system pressure has changed.",
      metadata: [
        "pressure.from": "\(old.level)", "pressure.level": "\(new.level)",
        "pressure.sources": "\(new.causes.map(\.source).prefix(8).joined(separator: " "))",
      ])
  }
}
