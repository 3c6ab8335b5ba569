private import Dispatch
private import Synchronization
public import Testing

/// Tests that compute for long without a pause: on a thread of their own, because Swift's pool has one for each core, and every
/// other test would wait for it at each of its steps until its time ends.
public struct ComputingTrait: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.next()) { try await function() }
  }
}

extension Trait where Self == ComputingTrait {
  /// See ``ComputingTrait``.
  public static var computing: Self { Self() }
}

/// One of two threads, as there are cores at least.
private final class ThreadExecutor: TaskExecutor {
  private static let all = [ThreadExecutor(), ThreadExecutor()]
  private static let count = Atomic(0)

  /// These in turn.
  static func next() -> ThreadExecutor {
    all[count.wrappingAdd(1, ordering: .relaxed).oldValue % all.count]
  }

  /// Serial queues have threads besides the pool's.
  private let queue = DispatchQueue(label: "computing tests")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
