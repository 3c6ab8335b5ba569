internal import CaptureCore
internal import Locking

/// Keeps the renderer of a camera's last stream for the next stream of the same format, so that the first frame need
/// not wait for a new renderer. Making a renderer can take as long as a frame period, 34 ms at 4K. Each camera has one
/// shelf.
final class RendererShelf: Sendable {
  // Unchecked: a renderer belongs to the thread that took it, and the shelf only holds a renderer that no thread uses.
  private struct Kept: @unchecked Sendable {
    let renderer: FrameRenderer
    let layout: FrameLayout
    let isBinned: Bool
  }
  private let kept = Locked<Kept?>(nil)

  /// Takes the kept renderer if it fits; nil otherwise. A renderer that does not fit is freed: no stream could take it
  /// before the new stream puts its own renderer here, and a renderer for 1080p has 6 MB.
  func take(_ layout: FrameLayout, isBinned: Bool) -> FrameRenderer? {
    let found = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    guard let found, found.layout == layout, found.isBinned == isBinned else { return nil }
    return found.renderer
  }

  /// Keeps a renderer that its thread no longer uses, in place of the one that was kept before.
  func put(_ renderer: FrameRenderer, _ layout: FrameLayout, isBinned: Bool) {
    let new = Kept(renderer: renderer, layout: layout, isBinned: isBinned)
    let old = kept.withLock { kept in
      defer { kept = new }
      return kept
    }
    // The old renderer is freed here, outside the lock, because it has megabytes of memory.
    _ = old
  }
}
