import CaptureCore
import Glibc
import Testing

/// Tests the name and the priority of worker threads, as the operator sees them in `ps -L`.
@Suite struct WorkerThreadTests {
  /// Starts a worker thread and returns what `read` finds on that thread.
  private func observe<R: Sendable>(
    name: String, niceness: Int32, _ read: @escaping @Sendable () -> R
  ) async throws -> R {
    let (stream, continuation) = AsyncStream.makeStream(of: R.self)
    try WorkerThread.start(name: name, niceness: niceness) {
      continuation.yield(read())
      continuation.finish()
    }
    for await value in stream { return value }
    throw CancellationError()
  }

  /// A worker thread has its name in /proc; the kernel keeps the first 15 bytes.
  @Test(arguments: [("worker", "worker"), ("a name longer than fits", "a name longer t")])
  func aThreadHasItsNameCutTo15Bytes(given: String, kept: String) async throws {
    let name = try await observe(name: given, niceness: 0) {
      guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 64)
      fgets(&line, Int32(line.count), file)
      return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    #expect(name == kept)
  }

  /// Starts a thread from this one, and returns the niceness that it has. Nil when the system cannot create a thread.
  private static func niceness(asked: Int32) -> Int32? {
    let found = Mailbox<Int32>(depth: 1)
    do { try WorkerThread.start(name: "nice", niceness: asked) { found.put(getpriority(0, 0)) } } catch { return nil }
    return found.take()
  }

  /// The niceness applies to the worker thread alone: a thread that is started afterwards has the niceness that the
  /// process had before.
  @Test func nicenessAppliesOnlyToItsThread() async throws {
    // A thread takes over the niceness of the thread that starts it, so one thread starts both.
    let (before, nice, after) = try await observe(name: "usual", niceness: 0) {
      let before = getpriority(0, 0)
      return (before, Self.niceness(asked: 5), Self.niceness(asked: 0))
    }
    #expect(nice == 5)
    #expect(after == before)
  }
}
