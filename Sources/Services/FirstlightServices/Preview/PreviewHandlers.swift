internal import CaptureSessions
internal import FrameDelivery

/// The handlers of PreviewService. The handler of each method is in a file of its own in this folder.
struct PreviewHandlers: PreviewServiceHandler {
  let sessions: SessionRegistry
  let readers: ReaderDirectory
}
