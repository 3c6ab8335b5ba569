import CaptureCore
import Testing

@testable import SyntheticCapture

@Suite struct RendererShelfTests {
  private let small = FrameLayout.packed(.nv12, Size(width: 64, height: 48))!
  private let large = FrameLayout.packed(.nv12, Size(width: 128, height: 96))!

  private func renderer(_ layout: FrameLayout) -> FrameRenderer {
    FrameRenderer(configuration: .init(scene: .bars, noise: 0), layout: layout, isBinned: false)
  }

  @Test func aStreamOfTheSameFormatTakesTheOneThatIsThere() {
    let shelf = RendererShelf()
    let kept = renderer(small)
    shelf.put(kept, small, isBinned: false)
    #expect(shelf.take(small, isBinned: false) === kept)
    #expect(shelf.take(small, isBinned: false) == nil)
  }

  @Test(arguments: [(128, false), (64, true)])
  func aStreamOfAnotherFormatHasTheMemoryGivenBack(width: Int, isBinned: Bool) {
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
