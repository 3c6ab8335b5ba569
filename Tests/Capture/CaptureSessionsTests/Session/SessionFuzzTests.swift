import CaptureCore
import Foundation
import Testing

@testable import CaptureSessions

/// Runs 10,000 random sequences of legal and illegal commands against two sessions on two fake cameras that fail,
/// disappear and come back. After each command, when everything that it began has ended, the invariants of
/// `SessionInvariants` must hold.
///
/// A failure names its seed and its commands. With the environment variable FIRSTLIGHT_FUZZ_SEED, the test runs the
/// sequence of that seed alone. FIRSTLIGHT_FUZZ_SEQUENCES is another number of sequences, which builds with a sanitizer
/// use because they are slow.
@Suite(.timeLimit(.minutes(10))) struct SessionFuzzTests {
  private static let shards = 8
  private static let sequences =
    ProcessInfo.processInfo.environment["FIRSTLIGHT_FUZZ_SEQUENCES"].flatMap(Int.init) ?? 10_000

  /// Runs one eighth of the sequences, because the shards run at the same time.
  @Test(arguments: 0..<shards) func invariantsHoldAfterRandomCommands(shard: Int) async throws {
    if let asked = ProcessInfo.processInfo.environment["FIRSTLIGHT_FUZZ_SEED"].flatMap(UInt64.init) {
      if shard == 0 { try await Self.run(seed: asked) }
      return
    }
    for index in stride(from: shard, to: Self.sequences, by: Self.shards) {
      try await Self.run(seed: UInt64(index))
      // Let other tests run, because they share the threads of Swift's pool with this one.
      await Task.yield()
    }
  }

  /// Runs one sequence, and records its seed and commands if it fails.
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
