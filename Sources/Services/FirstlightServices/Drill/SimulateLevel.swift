internal import CaptureCore
internal import FirstlightAPI
public import GRPCTransport
internal import SwiftProtobuf
public import SystemPressure

/// PressureDrillService; registered only when an operator asked for it.
public struct PressureDrillHandlers: Sendable {
  /// The service's full name.
  public static let serviceName = "firstlight.drill.v1.PressureDrillService"

  private let monitor: PressureMonitor

  public init(monitor: PressureMonitor) { self.monitor = monitor }

  /// Adds the method.
  public func register(on router: inout RPCRouter) {
    router.unary(MethodDescriptor(service: Self.serviceName, method: "SimulateLevel"), simulateLevel)
  }

  private func simulateLevel(
    _ request: Firstlight_Drill_V1_SimulateLevelRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_SimulateLevelResponse {
    let level = try PressureLevel(request.level, field: "level")
    let factor = try PressureFactor(request.factor, field: "factor")
    let duration = try Validation.inRange(
      level == .nominal ? nil : request.duration.unsignedNanoseconds ?? .max, 100_000_000...3_600_000_000_000,
      default: 0, field: "duration")
    let state = monitor.simulate(level, factor, nanoseconds: duration)
    return .with { $0.state = state.proto }
  }
}
