internal import CaptureCore
internal import Locking
internal import SystemClocks

/// Gives the frames of several cameras to the capture that takes a photo of each, and taps the cameras only meanwhile.
/// Thread-safe.
final class ConstituentTap: FrameTap {
  private let queue: PhotoQueue
  private let link: SessionLink
  /// Held while the cameras are tapped or left, so that the newest wish of the queue comes last.
  private let order = Locked<Void>(())

  init(queue: PhotoQueue, link: SessionLink) {
    self.queue = queue
    self.link = link
  }

  /// Begins to look for the frames of a capture whose turn has come.
  func findFrames(for turn: CapturePlaces.Turn) {
    let deadline = link.frameDeadline(from: queue.now())
    queue.update { $0.match(turn, until: deadline) }
    // One of the cameras may still wait for deferred start. Not a child of the caller, because the queue does not wait.
    // When the camera cannot be opened, its state ends the capture.
    Task { [link] in try? await link.context?.runDeferredStartIfNeeded() }
  }

  /// Taps the cameras that the queue wants frames of now, and no others.
  func follow() {
    order.withLock { _ in link.context?.tap(queue.read { $0.tappedInputs }, for: self) }
  }

  func receive(_ frame: CapturedFrame) {
    let now = queue.now()
    queue.update { $0.constituentArrived(frame, at: now) }
  }
}
