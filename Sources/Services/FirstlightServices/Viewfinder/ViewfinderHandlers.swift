internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore

/// The handlers of ViewfinderService. The parts of a viewfinder are served by the handlers of the methods that they are
/// named after.
struct ViewfinderHandlers: Sendable {
  let readers: ReaderDirectory
  let previews: PreviewHandlers
  let sessions: SessionHandlers
  let photos: PhotoHandlers
  let pressure: PressureHandlers
  let devices: DeviceHandlers

  func register(on router: inout RPCRouter) {
    router.serverStreaming(Firstlight_V1_ViewfinderService.streamViewfinder, streamViewfinder)
    router.unary(Firstlight_V1_ViewfinderService.updateViewfinder, updateViewfinder)
  }
}
