import CaptureCore
import Testing

/// Tests where the planes of a packed picture lie. A wrong offset or size would shift colours or read beyond the
/// picture.
@Suite struct FrameLayoutTests {
  private let odd = Size(width: 5, height: 3)

  /// In a picture of odd width or height, the last column and line have chroma samples too: the chroma size is rounded
  /// up.
  @Test func oddSizesRoundChromaUp() throws {
    let nv12 = try #require(FrameLayout.packed(.nv12, odd))
    #expect(nv12.planes == [.init(offset: 0, stride: 5, rows: 3), .init(offset: 15, stride: 6, rows: 2)])
    #expect(nv12.byteCount == 27)
    let planar = try #require(FrameLayout.packed(.yuv420, odd))
    #expect(
      planar.planes == [
        .init(offset: 0, stride: 5, rows: 3), .init(offset: 15, stride: 3, rows: 2),
        .init(offset: 21, stride: 3, rows: 2),
      ])
    #expect(FrameLayout.packed(.yuyv, odd)?.byteCount == 12 * 3)
    #expect(FrameLayout.packed(.yuv422p, odd)?.byteCount == 15 + 9 + 9)
    #expect(FrameLayout.packed(.y16, odd)?.planes == [.init(offset: 0, stride: 10, rows: 3)])
    #expect(FrameLayout.packed(.rgb24, odd)?.byteCount == 45)
    #expect(FrameLayout.packed(.xbgr32, odd)?.byteCount == 60)
  }

  /// For a picture of 1920 × 1080, NV12 takes 1.5 bytes for each pixel and YUYV takes 2.
  @Test func evenSizesHaveTheUsualByteCounts() {
    let size = Size(width: 1920, height: 1080)
    #expect(FrameLayout.packed(.nv12, size)?.byteCount == 3_110_400)
    #expect(FrameLayout.packed(.yuyv, size)?.byteCount == 4_147_200)
  }

  /// A compressed format has a layout without planes and without bytes, because the size of its pictures varies.
  @Test func compressedFormatsHaveNoPlanes() throws {
    let jpeg = try #require(FrameLayout.packed(.mjpeg, odd))
    #expect(jpeg.planes.isEmpty)
    #expect(jpeg.byteCount == 0)
  }

  /// A movie goes on with pictures that lie otherwise in memory, and with no others.
  @Test func picturesThatContinueAMovie() throws {
    let first = try #require(FrameLayout.packed(.nv12, odd))
    var padded = first
    padded.planes[0].stride += 3
    padded.range = .full
    #expect(padded.continues(first))
    let changes: [(inout FrameLayout) -> Void] = [
      { $0.size.width += 2 }, { $0.pixelFormat = .nv21 }, { $0.matrix = .bt709 }, { $0.transfer = .pq },
    ]
    for change in changes {
      var other = first
      change(&other)
      #expect(!other.continues(first))
    }
  }

  /// A pixel format without a packed layout, here VP8, gives nil.
  @Test func unknownFormatsHaveNoLayout() {
    #expect(FrameLayout.packed(PixelFormat(fourCC: "VP80")!, odd) == nil)
  }

  /// Readers of pixels get coded video as planar 4:2:0, and any other picture as it is.
  @Test func codedVideoIsDecodedToPlanes() throws {
    let coded = try #require(FrameLayout.packed(.hevc, odd, range: .full, matrix: .bt709))
    #expect(coded.planes.isEmpty)
    #expect(coded.decoded == .packed(.yuv420, odd, range: .full, matrix: .bt709))
    let plain = try #require(FrameLayout.packed(.nv12, odd))
    #expect(plain.decoded == plain)
  }
}
