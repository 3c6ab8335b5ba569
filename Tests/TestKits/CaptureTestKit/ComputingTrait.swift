private import Dispatch
private import Synchronization
public import Testing

/// Runs tests that compute for long without a pause on threads of their own. Swift's pool has one thread for each core;
/// on the pool, such a test would make every other test wait at each of its steps, until the time limits of the other
/// tests pass.
public struct ComputingTrait: SuiteTrait, TestTrait, TestScoping {
  /// True, so that a suite with this trait gives the trait to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs `function` with a task executor that has its own thread.
  ///
  /// - Throws: the error that `function` throws.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.next()) { try await function() }
  }
}

extension Trait where Self == ComputingTrait {
  /// A ``ComputingTrait``, in the form that `@Suite` and `@Test` take.
  public static var computing: Self { Self() }
}

/// One of two threads that run the tests in turn. There are two, because every machine that runs the tests has at least
/// two cores.
private final class ThreadExecutor: TaskExecutor {
  private static let all = [ThreadExecutor(), ThreadExecutor()]
  private static let count = Atomic(0)

  /// One executor of ``all``, a different one for each call in turn.
  static func next() -> ThreadExecutor {
    all[count.wrappingAdd(1, ordering: .relaxed).oldValue % all.count]
  }

  /// The queue runs the jobs, because the threads of a serial queue do not belong to Swift's pool.
  private let queue = DispatchQueue(label: "computing tests")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
