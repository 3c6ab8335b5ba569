internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import SystemPressure

extension PressureHandlers {
  func getPressureHistory(
    _ request: Firstlight_V1_GetPressureHistoryRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetPressureHistoryResponse {
    let times = try Validation.timeRange(
      request.hasStartTime ? request.startTime : nil, request.hasEndTime ? request.endTime : nil)
    let count = try Validation.inRange(
      request.hasMaxPoints ? request.maxPoints : nil, 1...1440, default: 1440, field: "max_points")
    let points = monitor.history(in: times, atMost: Int(count))
    return .with { $0.history = .with { $0.points = points.map(\.proto) } }
  }
}
