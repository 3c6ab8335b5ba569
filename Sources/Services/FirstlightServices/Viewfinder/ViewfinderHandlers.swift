internal import FrameDelivery

/// The handlers of ViewfinderService. The parts of a viewfinder are served by the handlers of the methods that they are
/// named after.
struct ViewfinderHandlers: ViewfinderServiceHandler {
  let readers: ReaderDirectory
  let previews: PreviewHandlers
  let sessions: SessionHandlers
  let photos: PhotoHandlers
  let pressure: PressureHandlers
  let devices: DeviceHandlers
}
