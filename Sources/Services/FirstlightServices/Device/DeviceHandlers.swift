internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore

/// The handlers of DeviceService. The handler of each method is in a file of its own in this folder.
struct DeviceHandlers: Sendable {
  let devices: DeviceRegistry
  let sessions: SessionRegistry
  let changes: ChangeLog

  func register(on router: inout RPCRouter) {
    router.unary(Firstlight_V1_DeviceService.listDevices, listDevices)
    router.unary(Firstlight_V1_DeviceService.getDevice, getDevice)
    router.serverStreaming(Firstlight_V1_DeviceService.watchDevices, watchDevices)
    router.unary(Firstlight_V1_DeviceService.setControls, loggedBy: changes, setControls)
  }
}
