import CaptureCore
import CaptureTestKit
import Testing

@testable import SyntheticCapture

/// Tests the pictures of synthetic cameras in P010, which have high dynamic range.
@Suite("B8: a camera with high dynamic range", .computing) struct WidePictureTests {
  private static let size = Size(width: 640, height: 360)

  /// Renders a picture without noise in P010. `code` returns a ten-bit sample by plane, column and row, where the
  /// column counts samples.
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

  /// The layout of a P010 format names the transfer function PQ and the matrix BT.2020, so that clients show the
  /// colours right; an NV12 format does not have high dynamic range.
  @Test func theLayoutNamesPQAndBT2020() throws {
    let layout = try #require(SyntheticFormats.layout(.p010, Self.size))
    #expect(layout.isHighDynamicRange && layout.transfer == .pq && layout.matrix == .bt2020)
    #expect(SyntheticFormats.layout(.nv12, Self.size)?.isHighDynamicRange == false)
  }

  /// The white of the scene becomes 203 cd/m², the brightness of white on a screen, and black becomes code 64.
  @Test func sceneWhiteIs203CandelasPerSquareMetre() {
    let (_, code) = Self.render(.bars)
    // The white of the board is 203 cd/m², which is 0.5807 in PQ. The sequence number is 7, so its bit 0, which is
    // rightmost, is white.
    #expect(code(0, 639, 2) == 573)
    #expect(code(0, 0, 2) == 64)
    // The white bar has 75 %, which is 101 cd/m².
    let white = code(0, 20, 180)
    #expect((white, code(1, 20, 90), code(1, 21, 90)) == (510, 512, 512))
  }

  /// Every line of the ramp is the same and rises from column to column, from black, code 64, to 10,000 cd/m², code
  /// 940, so that each picture has highlights of every brightness.
  @Test func theRampRisesFromBlackToTheBrightestCode() {
    let (_, code) = Self.render(.bars)
    let line = (WidePicture.ramp(height: 360)..<360).map { row in (0..<640).map { code(0, $0, row) } }
    #expect(line.allSatisfy { $0 == line[0] })
    #expect(line[0].first == 64 && line[0].last == 940)
    #expect(zip(line[0], line[0].dropFirst()).allSatisfy { $0 < $1 })
  }
}
