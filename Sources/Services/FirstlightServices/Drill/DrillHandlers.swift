internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import Glibc
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks
internal import SystemPressure

/// The handler of FaultInjectionService. The daemon serves this service only when an operator asked for drills.
struct FaultInjectionHandlers: FaultInjectionServiceHandler {
  /// Makes a synthetic device have a fault. Throws `deviceNotFound` when no synthetic device has the id.
  let inject: @Sendable (InjectedFault, _ deviceID: String) async throws -> Void

  func injectFault(
    _ request: Firstlight_Drill_V1_InjectFaultRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_InjectFaultResponse {
    let deviceID = try ResourceName.id(in: request.device, "devices", field: "device")
    try await inject(try InjectedFault(request), deviceID)
    return Firstlight_Drill_V1_InjectFaultResponse()
  }
}

/// The handler of PressureDrillService. The daemon serves this service only when an operator asked for drills.
struct PressureDrillHandlers: PressureDrillServiceHandler {
  let monitor: PressureMonitor
  let sessions: SessionRegistry
  let ladder: AdaptationLadder

  func simulateLevel(
    _ request: Firstlight_Drill_V1_SimulateLevelRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_SimulateLevelResponse {
    let level = try PressureLevel(request.level, field: "level")
    let factor = try PressureFactor(request.factor, field: "factor")
    let duration = try Validation.duration(
      level == .nominal ? nil : request.duration, 100_000_000...3_600_000_000_000, field: "duration")
    let state = monitor.simulate(level, factor, nanoseconds: duration)
    // Sessions otherwise learn of the drill only after this call, and a session that is started next might still run.
    await sessions.setPressure(ladder.demands(of: monitor.state(of: .everything)))
    return .with { $0.state = state.proto }
  }
}

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

/// The services that cause faults and pressure on purpose. The daemon serves them only when an operator asked for
/// drills.
public struct Drills: Sendable {
  /// Gives a synthetic device a fault, and throws `deviceNotFound` when no synthetic device has the id. Nil when the
  /// daemon has no synthetic devices; the daemon then does not serve FaultInjectionService.
  public var injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?

  /// Makes the drills. PressureDrillService and TaskPoolDrillService are always among them.
  ///
  /// - Parameter injectFault: gives a synthetic device a fault; nil leaves FaultInjectionService out.
  public init(injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?) {
    self.injectFault = injectFault
  }
}
