internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SystemPressure

/// The handlers of PressureService. The handler of each method is in a file of its own in this folder.
struct PressureHandlers: Sendable {
  let monitor: PressureMonitor
  let ladder: AdaptationLadder
  let devices: DeviceRegistry

  func register(on router: inout RPCRouter) {
    router.unary(Firstlight_V1_PressureService.getSystemPressure, getSystemPressure)
    router.serverStreaming(Firstlight_V1_PressureService.watchSystemPressure, watchSystemPressure)
    router.unary(Firstlight_V1_PressureService.getPressureHistory, getPressureHistory)
    router.unary(Firstlight_V1_PressureService.getAdaptationLadder, getAdaptationLadder)
  }
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
