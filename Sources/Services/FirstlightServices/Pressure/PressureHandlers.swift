internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import ServiceLifecycle
internal import SwiftProtobuf
internal import SystemPressure

/// The handlers of PressureService. The handler of each method is in a file of its own in this folder.
struct PressureHandlers: PressureServiceHandler {
  let monitor: PressureMonitor
  let ladder: AdaptationLadder
  let devices: DeviceRegistry
}

extension PressureHandlers {
  /// Returns the scope that a request names: the machine, or the machine and one camera.
  ///
  /// - Parameter device: the request's field `device`: `devices/{id}`, or empty for the machine.
  /// - Throws: `invalidArgument` for another name; `deviceNotFound`.
  func scope(_ device: String) async throws(CaptureError) -> PressureScope {
    guard !device.isEmpty else { return .machine }
    let id = try ResourceName.id(in: device, "devices", field: "device")
    if devices.holder(of: id) == nil { _ = try await devices.device(id) }
    return .device(id)
  }
}

extension PressureHandlers {
  func getAdaptationLadder(
    _ request: Firstlight_V1_GetAdaptationLadderRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetAdaptationLadderResponse {
    .with { $0.ladder = .with { $0.steps = ladder.steps.map(\.proto) } }
  }
}

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

extension PressureHandlers {
  func getSystemPressure(
    _ request: Firstlight_V1_GetSystemPressureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetSystemPressureResponse {
    let state = monitor.state(of: try await scope(request.device))
    return .with { $0.state = state.proto }
  }
}

extension PressureHandlers {
  func watchSystemPressure(
    _ request: Firstlight_V1_WatchSystemPressureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchSystemPressureResponse>
  ) async throws {
    let scope = try await scope(request.device)
    func write(_ update: PressureUpdate) async throws {
      try await writer.write(
        .with {
          $0.state = update.state.proto
          $0.eventID = monitor.eventID(update.number)
        })
    }
    let next: AsyncStream<PressureUpdate>
    if request.afterEventID.isEmpty {
      next = monitor.updates(of: scope)
    } else {
      let (missed, later) = try monitor.updates(of: scope, after: monitor.number(of: request.afterEventID))
      for update in missed { try await write(update) }
      next = later
    }
    for await update in next.cancelOnGracefulShutdown() { try await write(update) }
    try Task.checkCancellation()
    throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
  }
}
