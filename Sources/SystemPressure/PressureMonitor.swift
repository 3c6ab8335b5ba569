internal import CaptureCore
internal import Dispatch
public import Logging
internal import Synchronization

/// Watches how hot the machine is and tells whoever wants to know. Thread-safe.
///
/// ```swift
/// let monitor = PressureMonitor(reader: ThermalZoneReader(), logger: logger)
/// async let polling: Void = monitor.run()
/// for await state in monitor.watch() { … }
/// ```
public final class PressureMonitor: Sendable {
  /// How often the zones are read.
  struct Intervals: Sendable {
    /// Far from any level: heat takes longer than this to build up.
    var cool = Duration.seconds(2)
    /// Just below the promised second, which so includes the reading itself.
    var warm = Duration.milliseconds(900)
  }

  private struct State {
    var model: PressureModel
    var current: PressureState
    var watchers: [UInt64: AsyncStream<PressureState>.Continuation] = [:]
    var nextWatcher: UInt64 = 0
    var hasEnded = false
  }

  private let reader: ThermalZoneReader
  private let intervals: Intervals
  private let logger: Logger
  private let state: Mutex<State>
  private let stop = DispatchSemaphore(value: 0)

  /// Reads the zones once, so that there is a true state from the start; that blocks for some files' time.
  public convenience init(reader: ThermalZoneReader, logger: Logger) {
    self.init(reader: reader, logger: logger, intervals: Intervals())
  }

  init(reader: ThermalZoneReader, logger: Logger, intervals: Intervals) {
    self.reader = reader
    self.logger = logger
    self.intervals = intervals
    var model = PressureModel()
    let first = model.update(reader.read())
    self.state = Mutex(State(model: model, current: first))
    logger.info(
      "system pressure is watched",
      metadata: ["pressure.level": "\(first.level)", "thermal.zones": "\(first.readings.count)"])
  }

  /// The newest state, at most one polling interval old while ``run()`` runs.
  public var current: PressureState { state.withLock { $0.current } }

  /// The present state, then each change of level or factors. A slow reader gets the newest and misses those between.
  ///
  /// Ends when ``run()`` does; afterwards it gives the last state and ends.
  public func watch() -> AsyncStream<PressureState> {
    let (stream, continuation) = AsyncStream<PressureState>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id: UInt64? = state.withLock { state in
      // Inside the lock, or a newer state could be overtaken by this one. It resumes nobody: nobody iterates yet.
      continuation.yield(state.current)
      guard !state.hasEnded else { return nil }
      state.nextWatcher += 1
      state.watchers[state.nextWatcher] = continuation
      return state.nextWatcher
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Polls on a thread of its own until the task is cancelled; returns when a reading under way has ended, too.
  /// To be called once. Without a thread, when the system gives none, it logs that and returns at once.
  public func run() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(CaptureError) {
          try WorkerThread.start(name: "pressure") { [self] in
            pollUntilStopped()
            continuation.resume()
          }
        } catch {
          logger.error("system pressure is not watched", metadata: ["error": "\(error.message)"])
          continuation.resume()
        }
      }
    } onCancel: {
      stop.signal()
    }
    endWatchers()
  }

  private func endWatchers() {
    let watchers = state.withLock { state in
      state.hasEnded = true
      defer { state.watchers = [:] }
      return state.watchers
    }
    for watcher in watchers.values { watcher.finish() }
  }

  private func pollUntilStopped() {
    while true {
      let interval = state.withLock { $0.model.isWarm } ? intervals.warm : intervals.cool
      guard stop.wait(timeout: .now() + interval / .seconds(1)) == .timedOut else { return }
      publish(reader.read())
    }
  }

  private func publish(_ zones: [ThermalZone]) {
    let (old, new, watchers) = state.withLock { state in
      let old = state.current
      state.current = state.model.update(zones)
      let hasChanged = (state.current.level, state.current.factors) != (old.level, old.factors)
      return (old, state.current, hasChanged ? Array(state.watchers.values) : nil)
    }
    guard let watchers else { return }
    let cause = new.readings.first { $0.level == new.level && new.level > .nominal }
    logger.info(
      "system pressure changed",
      metadata: [
        "pressure.from": "\(old.level)", "pressure.level": "\(new.level)",
        "thermal.zone": "\(cause?.zone.name ?? "none")",
      ])
    for watcher in watchers { watcher.yield(new) }
  }
}

extension PressureModel {
  fileprivate mutating func update(_ zones: [ThermalZone]) -> PressureState {
    update(
      zones, monotonicNanoseconds: SystemClock.monotonicNanoseconds(), wallNanoseconds: SystemClock.wallNanoseconds())
  }
}
