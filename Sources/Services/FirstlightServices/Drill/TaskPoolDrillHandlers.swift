internal import FirstlightAPI
internal import Glibc
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

/// The handler of TaskPoolDrillService. The daemon serves this service only when an operator asked for drills.
struct TaskPoolDrillHandlers: TaskPoolDrillServiceHandler {
  /// How long after the call the drill begins, so that its client gets the answer.
  private static let delay = Duration.milliseconds(200)

  func blockTaskPool(
    _ request: Firstlight_Drill_V1_BlockTaskPoolRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_BlockTaskPoolResponse {
    let duration = try Validation.inRange(
      request.duration.unsignedNanoseconds ?? .max, 100_000_000...600_000_000_000, default: 0, field: "duration")
    let end = MonotonicInstant.now() + duration + 200_000_000
    // The pool has as many threads as the machine has processors. A task that comes late finds the drill over.
    for _ in 0..<4 * max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) {
      Task.detached {
        try? await Task.sleep(for: Self.delay)
        Self.block(until: end)
      }
    }
    return Firstlight_Drill_V1_BlockTaskPoolResponse()
  }

  /// Blocks the thread, as no other code of the daemon may.
  private static func block(until end: MonotonicInstant) {
    while MonotonicInstant.now() < end { usleep(10_000) }
  }
}
