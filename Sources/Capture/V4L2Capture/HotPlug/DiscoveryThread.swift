internal import CaptureCore
internal import Glibc
internal import HotPlug
internal import Locking
internal import SystemClocks

/// The provider's own thread, which enumerates the cameras and watches for cameras that come and go. The thread blocks,
/// but never waits for the answer of a camera.
final class DiscoveryThread: Sendable {
  typealias Job = @Sendable (inout DeviceCatalog) -> Void

  private struct State {
    /// The jobs that wait for the thread. Their number is bounded by the callers: each caller of `perform` waits for
    /// its answer, and each stream ends once.
    var jobs: [Job] = []
    var stopped = false
  }

  /// Nanoseconds between two probes. A probe asks each node without a device whether the device is back, because no
  /// event announces that. Where the system gives no events at all, only probes find new nodes.
  private static let probePeriod: UInt64 = 1_000_000_000

  private let state = Locked(State())
  /// The cameras as the thread last saw them; nil before the first enumeration.
  private let roster = Locked<[Camera]?>(nil)
  private let wakeup: Wakeup
  private let announce: @Sendable ([DeviceChange]) -> Void

  /// Starts the thread. The process ends when the system gives no descriptor or no thread.
  ///
  /// - Parameters:
  ///   - catalog: the cameras, not yet loaded.
  ///   - deviceDirectory: the folder of the nodes, `/dev`.
  ///   - announce: called on the thread with one or more changes.
  init(
    _ catalog: DeviceCatalog, deviceDirectory: String,
    announce: @escaping @Sendable ([DeviceChange]) -> Void
  ) {
    self.announce = announce
    do { wakeup = try Wakeup.make() } catch { fatalError("no descriptor to look for cameras: \(error.errno.name)") }
    do throws(CaptureError) {
      try WorkerThread.start(name: "v4l2 devices") { [self] in
        // The monitor starts before the first enumeration, so that the thread misses no event between that enumeration
        // and the first wait.
        let monitor = HotplugMonitor(
          folders: [deviceDirectory], names: ["video"], subsystem: "video4linux")
        var catalog = catalog
        catalog.load()
        _ = catalog.rescan()
        publish(catalog, [])
        run(&catalog, monitor)
      }
    } catch {
      fatalError("no thread to look for cameras: \(error.message)")
    }
  }

  /// Ends the thread after the jobs that are waiting.
  func stop() {
    state.withLock { $0.stopped = true }
    wakeup.signal()
  }

  /// The cameras as the thread last saw them; nil before the first enumeration. Does not wait for the thread.
  var cameras: [Camera]? { roster.withLock { $0 } }

  /// Runs `body` on the thread, after all jobs that were added earlier. Cancelling the task has no effect. The caller
  /// must not call this method after ``stop()``.
  func perform<R: Sendable>(_ body: @escaping @Sendable (inout DeviceCatalog) -> (R, [DeviceChange])) async -> R {
    await withCheckedContinuation { continuation in
      add { [self] catalog in
        let (result, changes) = body(&catalog)
        publish(catalog, changes)
        continuation.resume(returning: result)
      }
    }
  }

  /// Runs `body` on the thread later, without waiting. Does nothing after ``stop()``.
  func enqueue(_ body: @escaping @Sendable (inout DeviceCatalog) -> [DeviceChange]) {
    add { [self] catalog in
      let changes = body(&catalog)
      publish(catalog, changes)
    }
  }

  /// Publishes the catalog's cameras, and announces the changes afterwards, so that a watcher of changes finds the
  /// changed cameras in ``cameras``. Runs on the thread.
  private func publish(_ catalog: DeviceCatalog, _ changes: [DeviceChange]) {
    roster.withLock { $0 = catalog.cameras }
    if !changes.isEmpty { announce(changes) }
  }

  private func add(_ job: @escaping Job) {
    state.withLock { if !$0.stopped { $0.jobs.append(job) } }
    wakeup.signal()
  }

  private func run(_ catalog: inout DeviceCatalog, _ monitor: HotplugMonitor) {
    var waiting = (monitor.descriptors + [wakeup.descriptor]).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    var nextProbe: MonotonicInstant?
    while true {
      wakeup.clear()
      let (jobs, stopped) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.stopped)
      }
      for job in jobs { job(&catalog) }
      // The thread writes the file after the jobs have answered: writing waits for the disk, and only the next caller
      // should wait for that.
      catalog.save()
      if stopped { return }

      let mustProbe = catalog.hasUnansweredNodes || monitor.descriptors.isEmpty
      nextProbe = mustProbe ? nextProbe ?? MonotonicInstant.now() + Self.probePeriod : nil
      poll(&waiting, nfds_t(waiting.count), timeout(until: nextProbe))

      var changes: [DeviceChange] = []
      if monitor.drain() { changes += catalog.rescan() }
      if let due = nextProbe, .now() >= due {
        nextProbe = nil
        changes += catalog.rescanUnansweredNodes()
      }
      publish(catalog, changes)
    }
  }

  /// The milliseconds until `instant` for `poll`, rounded up; -1 (no limit) when `instant` is nil.
  private func timeout(until instant: MonotonicInstant?) -> Int32 {
    guard let instant else { return -1 }
    return Int32((instant.nanoseconds(since: .now()) + 999_999) / 1_000_000)
  }
}
