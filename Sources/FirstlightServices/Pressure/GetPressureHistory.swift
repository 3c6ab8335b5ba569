internal import CaptureCore
internal import FirstlightAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import SystemPressure

extension PressureHandlers {
  func getPressureHistory(
    _ request: Firstlight_V1_GetPressureHistoryRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetPressureHistoryResponse {
    let start = request.hasStartTime ? try Self.instant(request.startTime, field: "start_time") : 0
    let end = request.hasEndTime ? try Self.instant(request.endTime, field: "end_time") : .max
    guard start < end else {
      throw CaptureError(
        .invalidArgument, "end_time is not after start_time.",
        metadata: ["start_time": "\(start)", "end_time": "\(end)"], field: "end_time")
    }
    let count = try Validation.inRange(
      request.hasMaxPoints ? request.maxPoints : nil, 1...1440, default: 1440, field: "max_points")
    let points = monitor.history(in: start..<end, atMost: Int(count))
    return .with { $0.history = .with { $0.points = points.map(\.proto) } }
  }

  private static func instant(_ time: Google_Protobuf_Timestamp, field: String) throws(CaptureError) -> UInt64 {
    guard let nanoseconds = time.wallNanoseconds else {
      throw CaptureError(
        .invalidArgument, "\(field) is no instant between 1970 and 2554.", metadata: ["seconds": "\(time.seconds)"],
        field: field)
    }
    return nanoseconds
  }
}
