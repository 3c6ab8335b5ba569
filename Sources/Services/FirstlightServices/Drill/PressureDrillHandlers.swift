internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import SystemPressure

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
