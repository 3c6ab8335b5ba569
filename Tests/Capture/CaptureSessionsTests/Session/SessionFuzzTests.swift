import CaptureCore
import CaptureTestKit
import Foundation
import Testing

@testable import CaptureSessions

/// 10,000 random sequences of legal and illegal commands against two real sessions on two fake cameras that fail, go and
/// come back. After each command, once everything it set off has ended, the invariants of `SessionFuzzer` must hold.
///
/// A failure names its seed and the commands; FIRSTLIGHT_FUZZ_SEED runs that one alone.
@Suite(.timeLimit(.minutes(5))) struct SessionFuzzTests {
  private static let shards = 8
  private static let sequences = 10_000

  @Test(arguments: 0..<shards) func whateverIsAskedWhatMustHoldHolds(shard: Int) async throws {
    if let asked = ProcessInfo.processInfo.environment["FIRSTLIGHT_FUZZ_SEED"].flatMap(UInt64.init) {
      if shard == 0 { try await Self.run(seed: asked) }
      return
    }
    for index in stride(from: shard, to: Self.sequences, by: Self.shards) {
      try await Self.run(seed: UInt64(index))
      // Every other test waits for the same few threads.
      await Task.yield()
    }
  }

  private static func run(seed: UInt64) async throws {
    let fuzzer = SessionFuzzer(seed: seed)
    do {
      try await fuzzer.run()
    } catch {
      let commands = fuzzer.trace.joined(separator: "\n  ")
      Issue.record("seed \(seed): \(error)\n  \(commands)")
      throw error
    }
  }
}
