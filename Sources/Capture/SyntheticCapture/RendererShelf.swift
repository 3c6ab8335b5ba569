internal import CaptureCore
internal import Synchronization

/// Keeps the renderer of the last stream for the next one of the same format: to make one takes as long as some first
/// frames are apart, 34 ms at 4K. One for each camera.
final class RendererShelf: Sendable {
  // Unchecked: a renderer belongs to whoever took it, and the shelf only holds one that nobody has.
  private struct Kept: @unchecked Sendable {
    let renderer: FrameRenderer
    let layout: FrameLayout
    let isBinned: Bool
  }
  private let kept = Mutex<Kept?>(nil)

  /// The renderer that fits, if it is there. Another goes: nobody could take it before the new stream's replaces
  /// it, and one for 1080p is 6 MB.
  func take(_ layout: FrameLayout, isBinned: Bool) -> FrameRenderer? {
    let found = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    guard let found, found.layout == layout, found.isBinned == isBinned else { return nil }
    return found.renderer
  }

  /// Puts a renderer there that its thread no longer uses; one that was there goes.
  func put(_ renderer: FrameRenderer, _ layout: FrameLayout, isBinned: Bool) {
    let new = Kept(renderer: renderer, layout: layout, isBinned: isBinned)
    let old = kept.withLock { kept in
      defer { kept = new }
      return kept
    }
    // Released here, outside the lock: it is megabytes.
    _ = old
  }
}
