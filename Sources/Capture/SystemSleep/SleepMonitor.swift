internal import CLogind
internal import CaptureCore
internal import Glibc
public import Logging

/// Listens to logind, which announces when the machine is about to sleep and when the machine is awake. Delays each
/// sleep until the cameras are closed.
///
/// Without a system bus, as in most containers, no process announces sleep. The daemon then loses only the time before
/// a sleep to close its cameras: each stream still finds out from the clocks that the machine slept
/// (``CaptureCore/SleepGauge``).
public final class SleepMonitor: Sendable {
  /// Acts on a machine that is about to sleep (`true`) or awake (`false`). Before a sleep, logind waits until the
  /// handler returns.
  public typealias Handler = @Sendable (_ isAsleep: Bool) async -> Void

  /// The time between two attempts to reach a bus that went away. A restart of dbus takes about as long.
  private static let pauseMilliseconds: Int32 = 2_000

  private let logger: Logger

  /// Makes a monitor that does not listen before ``run(_:)``.
  public init(logger: Logger) { self.logger = logger }

  /// Listens on a thread of its own, and calls `handler` for each sleep and each wake, until the task is cancelled.
  /// Without a system bus, or when the thread cannot start, only waits for the cancellation. The caller may call `run`
  /// once.
  ///
  /// - Parameter handler: runs in a task; the listening thread waits until the handler returns.
  public func run(_ handler: @escaping Handler) async {
    await listenAsLongAsThereIsABus(handler)
    while (try? await Task.sleep(for: .seconds(86_400))) != nil {}
  }

  private func listenAsLongAsThereIsABus(_ handler: @escaping Handler) async {
    // An eventfd that no thread reads: once the cancellation has written to the eventfd, the eventfd stays readable
    // until it is closed.
    let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wake >= 0 else {
      return logger.error("The daemon does not learn of sleep beforehand, because no descriptor is left.")
    }
    defer { close(wake) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(CaptureError) {
          try WorkerThread.start(name: "sleep") { [self] in
            listen(wake, handler)
            continuation.resume()
          }
        } catch {
          logger.error(
            "The daemon does not learn of sleep beforehand.", metadata: ["error.message": "\(error.message)"])
          continuation.resume()
        }
      }
    } onCancel: {
      eventfd_write(wake, 1)
    }
  }

  // MARK: - On the thread

  private func listen(_ wake: Int32, _ handler: @escaping Handler) {
    var logind: OpaquePointer?
    let failure = clogind_open(&logind)
    guard let logind else {
      // The monitor logs this message once and not as a warning, because most containers have no system bus.
      return logger.info(
        "The daemon does not learn of sleep beforehand, so streams notice it by the clocks.",
        metadata: [
          "error.message": "\(failure == -ELIBACC ? "no libsystemd" : "no system bus (\(Self.text(failure)))")"
        ])
    }
    var machine = SleepStateMachine()
    var next: OpaquePointer? = logind
    while let logind = next {
      let failure = listen(to: logind, wake, &machine, handler)
      clogind_close(logind)
      guard failure != 0 else { return }
      logger.warning(
        "The system bus is gone, so streams notice sleep by the clocks until it is back.",
        metadata: ["error.message": "\(Self.text(failure))"])
      next = reopen(wake)
      if next != nil { logger.notice("The system bus is back.") }
    }
  }

  /// Handles events until the wait ends.
  ///
  /// - Returns: 0 when the task of ``run(_:)`` was cancelled; a negative errno when the bus is gone.
  private func listen(
    to logind: OpaquePointer, _ wake: Int32, _ machine: inout SleepStateMachine, _ handler: @escaping Handler
  ) -> Int32 {
    var lock: Int32 = -1
    defer { if lock >= 0 { close(lock) } }
    while true {
      var heard = CLOGIND_WOKEN
      let failure = clogind_next(logind, wake, &heard)
      guard failure == 0 else {
        perform(machine.handle(.logindLeft), on: logind, &lock, handler)
        return failure
      }
      guard let event = SleepStateMachine.Event(heard) else { return 0 }
      perform(machine.handle(event), on: logind, &lock, handler)
    }
  }

  /// Tries to connect again, after a pause before each attempt, until there is a bus. A bus that was there once comes
  /// back, for example after a restart of dbus.
  ///
  /// - Returns: the new connection; nil when the task of ``run(_:)`` was cancelled.
  private func reopen(_ wake: Int32) -> OpaquePointer? {
    while true {
      var waiting = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
      // Only the end of the pause, where poll returns 0, leads to an attempt. When a signal interrupts poll, the loop
      // waits again.
      let ready = poll(&waiting, 1, Self.pauseMilliseconds)
      if waiting.revents != 0 { return nil }
      guard ready == 0 else { continue }
      var logind: OpaquePointer?
      if clogind_open(&logind) == 0, let logind { return logind }
    }
  }

  private func perform(
    _ actions: [SleepStateMachine.Action], on logind: OpaquePointer, _ lock: inout Int32, _ handler: @escaping Handler
  ) {
    for action in actions {
      switch action {
      case .takeLock: lock = takeLock(logind)
      case .releaseLock:
        if lock >= 0 { close(lock) }
        lock = -1
      case .rest:
        logger.notice("The machine is about to sleep, so the daemon closes all cameras.")
        wait { await handler(true) }
      case .resume:
        logger.notice("The machine is awake, so the daemon starts the cameras again.")
        wait { await handler(false) }
      }
    }
  }

  private func takeLock(_ logind: OpaquePointer) -> Int32 {
    let lock = clogind_take_delay_lock(logind)
    if lock < 0 {
      logger.notice(
        "Logind does not wait for cameras to be closed before a sleep.",
        metadata: ["error.message": "\(Self.text(lock))"])
    }
    return lock
  }

  /// Blocks this thread, which has no other work, until `body` returns.
  private func wait(_ body: @escaping @Sendable () async -> Void) {
    let done = Done()
    Task {
      await body()
      done.signal()
    }
    done.wait()
  }

  private static func text(_ failure: Int32) -> String { String(cString: strerror(-failure)) }
}

extension SleepStateMachine.Event {
  /// Nil for an event that has nothing to do with sleep: the cancellation of ``SleepMonitor/run(_:)`` ended the wait.
  fileprivate init?(_ event: clogind_event) {
    switch event {
    case CLOGIND_WILL_SLEEP: self = .willSleep
    case CLOGIND_AWAKE: self = .awake
    case CLOGIND_ARRIVED: self = .logindArrived
    case CLOGIND_LEFT: self = .logindLeft
    default: return nil
    }
  }
}

/// A semaphore of the system, which a task signals and a thread waits for.
private final class Done: @unchecked Sendable {
  // Unchecked: the pointer never changes, and several threads may use the semaphore at the same time.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }

  func wait() { while sem_wait(semaphore) != 0 {} }
}
