internal import CaptureCore
internal import Synchronization
internal import Glibc

/// The provider's own thread: enumerates and watches for cameras that come and go, which blocks, but never on an answer that a
/// camera owes.
final class DiscoveryThread: Sendable {
  typealias Job = @Sendable (inout DeviceCatalog) -> Void

  private struct State {
    /// Bounded by its users: each caller of `perform` waits for its answer, each stream ends once.
    var jobs: [Job] = []
    var stopped = false
  }

  /// How often a node without a device is asked whether it is back, of which no event tells; and how often nodes are looked for
  /// where the system gives no events at all.
  private static let probePeriod: UInt64 = 1_000_000_000

  private let state = Mutex(State())
  private let roster = Mutex<[Camera]?>(nil)
  private let wakeup: Wakeup
  private let announce: @Sendable ([DeviceChange]) -> Void

  /// - Parameter announce: called on the thread with changes, never with none.
  init(
    _ catalog: DeviceCatalog, deviceDirectory: String,
    announce: @escaping @Sendable ([DeviceChange]) -> Void
  ) {
    self.announce = announce
    do { wakeup = try Wakeup() } catch { fatalError("no descriptor to look for cameras: \(error.errno.name)") }
    do throws(CaptureError) {
      try WorkerThread.start(name: "v4l2 devices") { [self] in
        // The monitor first: nothing may happen unseen between the first look and the first wait.
        let monitor = HotplugMonitor(deviceDirectory: deviceDirectory)
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

  /// Ends the thread after the jobs it has.
  func stop() {
    state.withLock { $0.stopped = true }
    wakeup.signal()
  }

  /// The cameras as they were when last looked at, without waiting for the thread; nil before the first look.
  var cameras: [Camera]? { roster.withLock { $0 } }

  /// Runs `body` on the thread, after everything asked for earlier. Not cancellable. Not to be called after ``stop()``.
  func perform<R: Sendable>(_ body: @escaping @Sendable (inout DeviceCatalog) -> (R, [DeviceChange])) async -> R {
    await withCheckedContinuation { continuation in
      add { [self] catalog in
        let (result, changes) = body(&catalog)
        publish(catalog, changes)
        continuation.resume(returning: result)
      }
    }
  }

  /// Runs `body` on the thread some time. Does nothing after ``stop()``.
  func enqueue(_ body: @escaping @Sendable (inout DeviceCatalog) -> [DeviceChange]) {
    add { [self] catalog in
      let changes = body(&catalog)
      publish(catalog, changes)
    }
  }

  /// On the thread. Who hears of changes finds them in ``cameras``.
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
    var nextProbe: UInt64?
    while true {
      wakeup.clear()
      let (jobs, stopped) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.stopped)
      }
      for job in jobs { job(&catalog) }
      // Not before the answers: writing waits for the disk, and nobody should wait for that but who asks next.
      catalog.save()
      if stopped { return }

      let mustProbe = catalog.hasUnansweredNodes || monitor.descriptors.isEmpty
      nextProbe = mustProbe ? nextProbe ?? SystemClock.monotonicNanoseconds() + Self.probePeriod : nil
      poll(&waiting, nfds_t(waiting.count), timeout(until: nextProbe))

      var changes: [DeviceChange] = []
      if monitor.drain() { changes += catalog.rescan() }
      if let due = nextProbe, SystemClock.monotonicNanoseconds() >= due {
        nextProbe = nil
        changes += catalog.rescanUnansweredNodes()
      }
      publish(catalog, changes)
    }
  }

  /// Milliseconds for `poll`, rounded up; -1 waits without limit.
  private func timeout(until instant: UInt64?) -> Int32 {
    guard let instant else { return -1 }
    let now = SystemClock.monotonicNanoseconds()
    return instant <= now ? 0 : Int32((instant - now + 999_999) / 1_000_000)
  }
}
