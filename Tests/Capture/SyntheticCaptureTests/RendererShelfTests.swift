import CaptureCore
import Testing

@testable import SyntheticCapture

/// Tests how a camera keeps a renderer from one stream to the next, so that the first frame of the next stream need not
/// wait for a new renderer.
@Suite struct RendererShelfTests {
  private let small = FrameLayout.packed(.nv12, Size(width: 64, height: 48))!
  private let large = FrameLayout.packed(.nv12, Size(width: 128, height: 96))!

  private func renderer(_ layout: FrameLayout) -> FrameRenderer {
    FrameRenderer(configuration: .init(scene: .bars, noise: 0), layout: layout, isBinned: false)
  }

  /// A stream of the same format gets the renderer that was kept, and takes it off the shelf.
  @Test func aStreamOfTheSameFormatTakesTheKeptRenderer() {
    let shelf = RendererShelf()
    let kept = renderer(small)
    shelf.put(kept, small, isBinned: false)
    #expect(shelf.take(small, isBinned: false) === kept)
    #expect(shelf.take(small, isBinned: false) == nil)
  }

  /// When the next stream has another size or another binning, the kept renderer is freed, because its megabytes of
  /// memory would serve no stream.
  @Test(arguments: [(128, false), (64, true)])
  func aStreamOfAnotherFormatFreesTheKeptRenderer(width: Int, isBinned: Bool) {
    let shelf = RendererShelf()
    weak var kept: FrameRenderer?
    do {
      let renderer = renderer(small)
      shelf.put(renderer, small, isBinned: false)
      kept = renderer
    }
    #expect(kept != nil)
    #expect(shelf.take(width == 128 ? large : small, isBinned: isBinned) == nil)
    #expect(kept == nil)
  }
}
