import Foundation
import Testing

/// Walks through 5,000 random commits that add, remove, swap and wire cameras and change a composition of them while
/// others stream, and while cameras are unplugged: no output gets a frame of a camera that it does not have, none of a
/// camera that no commit touches is missing, and a composition that stays goes on with the layers of the newest commit.
///
/// A failure names its seed and its steps. With the environment variable FIRSTLIGHT_WALK_SEED, the test runs the walk
/// of that seed alone. FIRSTLIGHT_WALK_COMMITS is another number of commits.
@Suite(.timeLimit(.minutes(10))) struct CameraWalkTests {
  private static let walks = 50
  private static let environment = ProcessInfo.processInfo.environment
  private static let commits = environment["FIRSTLIGHT_WALK_COMMITS"].flatMap(Int.init) ?? 5_000

  @Test("L1: a random walk of commits with several cameras") func aRandomWalkTouchesNoOtherCamera() async throws {
    if let seed = Self.environment["FIRSTLIGHT_WALK_SEED"].flatMap(UInt64.init) { return try await Self.walk(seed) }
    for seed in 0..<UInt64(Self.walks) { try await Self.walk(seed) }
  }

  private static func walk(_ seed: UInt64) async throws {
    let walk = try await CameraWalk(seed: seed)
    do { try await walk.run(commits: commits / walks) } catch {
      Issue.record("seed \(seed): \(error)\n  \(walk.trace.joined(separator: "\n  "))")
      throw error
    }
  }
}
