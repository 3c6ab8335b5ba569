internal import CaptureCore
internal import CaptureSessions
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
