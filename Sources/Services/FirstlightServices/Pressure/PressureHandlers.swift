internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import GRPCTransport
internal import SystemPressure

/// PressureService: one file per method beside this one.
struct PressureHandlers: Sendable {
  let monitor: PressureMonitor
  let ladder: AdaptationLadder
  let devices: DeviceRegistry

  func register(on router: inout RPCRouter) {
    func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: "firstlight.v1.PressureService", method: name)
    }
    router.unary(method("GetSystemPressure"), getSystemPressure)
    router.serverStreaming(method("WatchSystemPressure"), watchSystemPressure)
    router.unary(method("GetPressureHistory"), getPressureHistory)
    router.unary(method("GetAdaptationLadder"), getAdaptationLadder)
  }
}

extension PressureHandlers {
  /// What a request is about.
  ///
  /// - Parameter device: the field `device`; empty for the machine.
  /// - Throws: `deviceNotFound`.
  func scope(_ device: String) async throws(CaptureError) -> PressureScope {
    guard !device.isEmpty else { return .machine }
    let id = try ResourceName.id(in: device, "devices", field: "device")
    if devices.holder(of: id) == nil { _ = try await devices.device(id) }
    return .device(id)
  }
}
