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
