internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import GRPCTransport

/// DeviceService: one file per method beside this one.
struct DeviceHandlers: Sendable {
  let devices: DeviceRegistry
  let sessions: SessionRegistry

  func register(on router: inout RPCRouter) {
    func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: "firstlight.v1.DeviceService", method: name)
    }
    router.unary(method("ListDevices"), listDevices)
    router.unary(method("GetDevice"), getDevice)
    router.serverStreaming(method("WatchDevices"), watchDevices)
    router.unary(method("SetControls"), setControls)
  }
}
