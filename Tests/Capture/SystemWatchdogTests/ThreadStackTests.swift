import CaptureCore
import Glibc
import Testing

@testable import SystemWatchdog

@Suite struct ThreadStackTests {
  @Test func findsAThreadThatWaits() async throws {
    var pair: [Int32] = [0, 0]
    try #require(pipe(&pair) == 0)
    let (reading, writing) = (pair[0], pair[1])
    let began = Mailbox<Void>(depth: 1)
    // The thread waits in a call of the kernel. Under the thread sanitizer, signals reach threads only there.
    try WorkerThread.start(name: "waits here") {
      began.put(())
      var byte: UInt8 = 0
      _ = read(reading, &byte, 1)
      close(reading)
    }
    let stacks = try await WorkerThread.run(name: "reads stacks") {
      _ = began.take()
      return ThreadStack.all()
    }
    close(writing)
    let stack = try #require(stacks.first { $0.name == "waits here" })
    #expect(stack.frames.count > 3)
    // The C library exports the names of the functions in which threads wait and begin.
    #expect(stack.frames.contains { $0.hasPrefix("libc.so.6+0x") })
    #expect(!stacks.contains { $0.name == "reads stacks" })
  }
}
