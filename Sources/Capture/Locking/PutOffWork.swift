internal import CLocking

/// Runs `work` once the calling thread holds no ``Locked`` any more, or at once when it holds none. The thread itself
/// runs it, in the order of the calls.
///
/// - Parameter work: wakes tasks, for example.
public func afterUnlocking(_ work: @escaping () -> Void) {
  if CLocking_is_held() { PutOffWork.add(work) } else { work() }
}

/// The work that a thread has put off until it holds no lock. Each thread keeps its own object until the thread ends,
/// so that putting off work seldom allocates memory.
@usableFromInline final class PutOffWork {
  /// A function in a structure, because an array of plain functions allocates a wrapper around each.
  private struct Work {
    let run: () -> Void
  }
  private var list: [Work] = []

  /// Adds work to that of the calling thread, which holds a lock.
  static func add(_ work: @escaping () -> Void) {
    let mine: PutOffWork
    if let pointer = CLocking_list() {
      mine = Unmanaged<PutOffWork>.fromOpaque(pointer).takeUnretainedValue()
    } else {
      mine = PutOffWork()
      CLocking_set_list(Unmanaged.passRetained(mine).toOpaque())
    }
    mine.list.append(Work(run: work))
    CLocking_set_has_work(true)
  }

  /// Runs the work of the calling thread, which holds no lock any more.
  @usableFromInline static func run() {
    guard let pointer = CLocking_list() else { return }
    let mine = Unmanaged<PutOffWork>.fromOpaque(pointer).takeUnretainedValue()
    // The work may take locks and put off more work, which the thread then runs as soon as it has released them.
    CLocking_set_has_work(false)
    var list: [Work] = []
    swap(&list, &mine.list)
    for work in list { work.run() }
    list.removeAll(keepingCapacity: true)
    mine.list = list
  }
}
