internal import CWatchdog
public import CaptureCore
internal import Glibc
internal import Locking
public import Logging

/// Looks on a thread of its own whether Swift's pool still runs tasks, so that no fault of the daemon makes it stand
/// for ever. Thread-safe.
///
/// While the pool answers, the watchdog tells the service manager so. When it has not answered for 10 s, the watchdog
/// logs every thread's stack, tells its owner, and tells the manager nothing any more, whose own watchdog then ends the
/// daemon. Where no manager watches, the daemon ends itself 20 s later.
public final class PoolWatchdog: Sendable {
  /// How long the pool may run no task, in nanoseconds.
  static let patience: UInt64 = 10_000_000_000
  private static let grace: UInt64 = 20_000_000_000
  private static let longestTick: UInt64 = 2_500_000_000

  private let watch: Locked<PoolWatch>
  private let tick: UInt64
  private let manager: ServiceManager
  private let logger: Logger
  private let whenChanged: @Sendable (_ isStuck: Bool) -> Void

  /// Makes a watchdog, which looks from ``start()`` on.
  ///
  /// - Parameters:
  ///   - manager: is told that all is well.
  ///   - logger: is told what the threads do when nothing is well.
  ///   - whenChanged: called on the watchdog's thread when the pool is stuck, and when it runs again. Must not wait for
  ///     a task.
  public init(
    manager: ServiceManager, logger: Logger, whenChanged: @escaping @Sendable (_ isStuck: Bool) -> Void
  ) {
    self.manager = manager
    self.logger = logger
    self.whenChanged = whenChanged
    // The manager expects the message twice in its interval.
    tick = min(Self.longestTick, (manager.watchdogInterval ?? .max) / 3)
    watch = Locked(
      PoolWatch(
        patience: Int(Self.patience / tick), grace: manager.watchdogInterval == nil ? Int(Self.grace / tick) : nil))
  }

  /// Starts the thread, which runs until the process ends.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  public func start() throws(CaptureError) {
    cwatchdog_prepare()
    try WorkerThread.start(name: "watchdog") { [self] in
      while true {
        for action in watch.withLock({ $0.tick() }) { perform(action) }
        pause()
      }
    }
  }

  private func perform(_ action: PoolWatch.Action) {
    switch action {
    case .ask(let number): Task { [self] in watch.withLock { $0.note(answer: number) } }
    case .tellAlive: manager.tell(.alive)
    case .reportStuck:
      whenChanged(true)
      log { [logger] in
        logger.critical(
          "The daemon stands still: no task has run for 10 s. It answers no call. Its threads' stacks follow.")
        for stack in ThreadStack.all() {
          logger.critical(
            "This is a thread of the daemon that stands still.",
            metadata: [
              "thread.id": "\(stack.threadID)", "thread.name": "\(stack.name)",
              "thread.stack": .array(stack.frames.map { .string($0) }),
            ])
        }
      }
    case .reportRecovery:
      whenChanged(false)
      log { [logger] in logger.warning("The daemon runs tasks again, and answers calls.") }
    // The log is not told: a thread that stands still may hold its lock.
    case .giveUp: abort()
    }
  }

  /// Writes into the log on a thread of its own, which may wait for ever: whoever reads the log may have stopped, and
  /// that may be why nothing runs. The watchdog itself must not wait.
  private func log(_ body: @escaping @Sendable () -> Void) {
    // Without a thread the daemon is ended all the same, and nobody learns why.
    try? WorkerThread.start(name: "watchdog-log", body)
  }

  private func pause() {
    var left = timespec(tv_sec: Int(tick / 1_000_000_000), tv_nsec: Int(tick % 1_000_000_000))
    var rest = timespec()
    while nanosleep(&left, &rest) != 0 && errno == EINTR { left = rest }
  }
}

/// Decides from the answers of Swift's pool whether the pool still runs tasks. A value without a clock: its owner calls
/// ``tick()`` at a steady pace.
///
/// The value counts ticks and not time, because a process that was stopped by a signal finds after it that much time
/// has passed, and that nothing is wrong.
struct PoolWatch: Equatable {
  /// What the owner does after a tick.
  enum Action: Equatable {
    /// Give the pool a task that answers with this number.
    case ask(UInt64)
    /// Tell the service manager that all is well.
    case tellAlive
    /// The pool has run no task for the patience: log every thread's stack, and serve no call.
    case reportStuck
    /// The pool runs tasks again.
    case reportRecovery
    /// The pool was stuck for so long that only a new process helps.
    case giveUp
  }

  /// After how many ticks without an answer the pool counts as stuck.
  let patience: Int
  /// After how many further ticks the daemon gives up. Nil where the service manager ends it.
  let grace: Int?
  private var asked: UInt64 = 0
  private var answered: UInt64 = 0
  private var missed = 0

  init(patience: Int, grace: Int?) { (self.patience, self.grace) = (patience, grace) }

  /// Whether the pool counts as stuck.
  var isStuck: Bool { missed >= patience }

  /// Notes the answer of a task.
  mutating func note(answer: UInt64) { answered = max(answered, answer) }

  mutating func tick() -> [Action] {
    guard asked == answered else {
      missed += 1
      if missed == patience { return [.reportStuck] }
      if let grace, missed == patience + grace { return [.giveUp] }
      return []
    }
    let wasStuck = isStuck
    missed = 0
    asked += 1
    return (wasStuck ? [.reportRecovery] : []) + [.tellAlive, .ask(asked)]
  }
}
