internal import FrameDelivery
internal import RPCCore

/// The handlers of ViewfinderService. The parts of a viewfinder are served by the handlers of the methods that they are
/// named after.
struct ViewfinderHandlers: ViewfinderServiceHandler {
  let access: MethodAccess
  let readers: ReaderDirectory
  let previews: PreviewHandlers
  let sessions: SessionHandlers
  let photos: PhotoHandlers
  let pressure: PressureHandlers
  let devices: DeviceHandlers
}
