import CaptureCore
import Synchronization
import Testing

@testable import MovieRecording

/// The queue of copies. The copies of these tests only note their numbers.
@Suite(.timeLimit(.minutes(1))) final class SeekableCopiesTests: Sendable {
  private let copies = SeekableCopies()
  private let done = Mutex<[Int]>([])

  /// Requests a copy. Returns why it was not made.
  private func copy(_ number: Int, _ body: @escaping @Sendable () -> Void = {}) async -> CaptureError.Reason? {
    do throws(CaptureError) {
      let number = try await copies.perform { isCancelled throws(CaptureError) in
        body()
        if isCancelled() { throw CaptureError(.processingFailed, "The copy was cancelled.") }
        return number
      }
      done.withLock { $0.append(number) }
      return nil
    } catch { return error.reason }
  }

  @Test func tooManyCopiesAreRefusedAndNoneIsForgotten() async {
    let wait = Mailbox<Void>(depth: 1)
    let reasons = await withTaskGroup(of: CaptureError.Reason?.self) { group in
      // One more than the limit. The first one that runs holds the others until the last one is refused.
      for number in 0...SeekableCopies.maximumCopies {
        group.addTask { await self.copy(number) { if wait.take() != nil { wait.close() } } }
      }
      var reasons: [CaptureError.Reason?] = []
      for await reason in group {
        reasons.append(reason)
        if reason != nil { wait.put(()) }
      }
      return reasons
    }
    #expect(reasons.compactMap(\.self) == [.tooManyRequests])
    #expect(done.withLock(\.count) == SeekableCopies.maximumCopies)
    #expect(await copy(99) == nil, "there is room again")
  }

  @Test func theEndCancelsTheCopyThatRunsAndThoseThatWait() async {
    let (begun, wait) = (Mailbox<Void>(depth: 1), Mailbox<Void>(depth: 1))
    async let running = copy(1) {
      begun.put(())
      _ = wait.take()
    }
    _ = await Task.detached { begun.take() }.value
    async let waiting = copy(2)
    copies.cancel()
    wait.close()
    #expect(await running == .processingFailed, "the copy that runs learns of it")
    #expect(await waiting == .operationInterrupted)
    #expect(await copy(3) == .operationInterrupted)
    #expect(done.withLock { $0 } == [])
  }
}
