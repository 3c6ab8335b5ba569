internal import CaptureSessions

/// The handlers of DeviceService. The handler of each method is in a file of its own in this folder.
struct DeviceHandlers: DeviceServiceHandler {
  let devices: DeviceRegistry
  let sessions: SessionRegistry
}
