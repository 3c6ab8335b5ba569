internal import CLocking

/// Runs `work` once the calling thread holds no ``Locked`` any more, or at once when it holds none. The thread itself
/// runs it, in the order of the calls.
///
/// - Parameter work: wakes tasks, for example.
public func afterUnlocking(_ work: @escaping () -> Void) {
  if CLocking_is_held() { PutOffWork.add(work) } else { work() }
}

/// What a thread does once it holds no lock. Each thread has its own.
@usableFromInline final class PutOffWork {
  private var list: [() -> Void] = []

  /// Adds work to that of the calling thread, which holds a lock.
  static func add(_ work: @escaping () -> Void) {
    let mine: PutOffWork
    if let pointer = CLocking_work() {
      mine = Unmanaged<PutOffWork>.fromOpaque(pointer).takeUnretainedValue()
    } else {
      mine = PutOffWork()
      CLocking_set_work(Unmanaged.passRetained(mine).toOpaque())
    }
    mine.list.append(work)
  }

  /// Runs the work of the calling thread, which holds no lock any more.
  @usableFromInline static func run() {
    guard let pointer = CLocking_work() else { return }
    // The work may take locks, and put off more work.
    CLocking_set_work(nil)
    for work in Unmanaged<PutOffWork>.fromOpaque(pointer).takeRetainedValue().list { work() }
  }
}
