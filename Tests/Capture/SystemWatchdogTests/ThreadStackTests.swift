import CaptureCore
import Glibc
import Testing

@testable import SystemWatchdog

@Suite struct ThreadStackTests {
  @Test func findsAThreadThatWaits() async throws {
    let (began, done) = (Mailbox<Void>(depth: 1), Mailbox<Void>(depth: 1))
    try WorkerThread.start(name: "waits here") {
      began.put(())
      _ = done.take()
    }
    let stacks = try await WorkerThread.run(name: "reads stacks") {
      _ = began.take()
      return ThreadStack.all()
    }
    done.put(())
    let stack = try #require(stacks.first { $0.name == "waits here" })
    #expect(stack.frames.count > 3)
    // The C library exports the names of the functions in which threads wait and begin.
    #expect(stack.frames.contains { $0.hasPrefix("libc.so.6+0x") })
    #expect(!stacks.contains { $0.name == "reads stacks" })
  }
}
