import CaptureCore
import CaptureTestKit
import Testing

@testable import SyntheticCapture

@Suite("B8: a camera with high dynamic range", .computing) struct WidePictureTests {
  private static let size = Size(width: 640, height: 360)

  private static func render(_ scene: SyntheticCameraConfiguration.Scene) -> (
    layout: FrameLayout, code: (Int, Int, Int) -> UInt16
  ) {
    let layout = SyntheticFormats.layout(.p010, size)!
    let configuration = SyntheticCameraConfiguration(scene: scene, noise: 0)
    let rendered = Rendered(
      FrameRenderer(configuration: configuration, layout: layout, isBinned: false), layout, sequence: 7)
    return (
      layout,
      { plane, column, row in
        let place = layout.planes[plane].offset + row * layout.planes[plane].stride + 2 * column
        return (UInt16(rendered.bytes[place]) | UInt16(rendered.bytes[place + 1]) << 8) >> 6
      }
    )
  }

  @Test func itSaysWhatItIs() throws {
    let layout = try #require(SyntheticFormats.layout(.p010, Self.size))
    #expect(layout.isHighDynamicRange && layout.transfer == .pq && layout.matrix == .bt2020)
    #expect(SyntheticFormats.layout(.nv12, Self.size)?.isHighDynamicRange == false)
  }

  @Test func whiteIsThatOfAScreen() {
    let (_, code) = Self.render(.bars)
    // The board's: PQ of 203 cd/m² is 0.5807. Bit 0 of a sequence number of 7 is rightmost.
    #expect(code(0, 639, 2) == 573)
    #expect(code(0, 0, 2) == 64)
    // White of 75 %: 101 cd/m².
    let white = code(0, 20, 180)
    #expect((white, code(1, 20, 90), code(1, 21, 90)) == (510, 512, 512))
  }

  @Test func theRampHasEveryHighlight() {
    let (_, code) = Self.render(.bars)
    let line = (WidePicture.ramp(height: 360)..<360).map { row in (0..<640).map { code(0, $0, row) } }
    #expect(line.allSatisfy { $0 == line[0] })
    #expect(line[0].first == 64 && line[0].last == 940)
    #expect(zip(line[0], line[0].dropFirst()).allSatisfy { $0 < $1 })
  }
}
