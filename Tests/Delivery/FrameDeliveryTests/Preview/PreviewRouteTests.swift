import CaptureCore
import Testing

@testable import FrameDelivery

/// Whether a reader's picture passes through or is encoded, and into which encoding.
@Suite struct PreviewRouteTests {
  static let size = Size(width: 1280, height: 720)

  static func layout(_ format: PixelFormat, _ size: Size = size) -> FrameLayout { .packed(format, size)! }

  static func key(_ encoding: PreviewEncoding, _ quality: Int, _ width: Int, _ height: Int) -> PreviewRoute {
    .encode(
      EncodingKey(
        format: encoding.pixelFormat, quality: quality, size: Size(width: width, height: height), range: range(encoding)
      ))
  }

  /// The range of the pictures of an encoding. Raw pictures always have limited range, because readers are not told the
  /// range; nil for the other encodings.
  static func range(_ encoding: PreviewEncoding) -> FrameLayout.Range? {
    encoding == .nv12 || encoding == .yuyv ? .limited : nil
  }

  /// The camera's own JPEG passes through whatever quality the reader asks for, unless the reader asks for a smaller
  /// size.
  @Test(arguments: [PixelFormat.jpeg, .mjpeg]) func camerasOwnJPEGIsPassedThrough(format: PixelFormat) {
    #expect(PreviewRequest(jpegQuality: 10).route(for: Self.layout(format)) == .passThrough)
    #expect(PreviewRequest(maxSize: Self.size).route(for: Self.layout(format)) == .passThrough)
    #expect(
      PreviewRequest(maxSize: Size(width: 640, height: 480)).route(for: Self.layout(format))
        == Self.key(.jpeg, 80, 640, 360))
  }

  /// The camera's own H.264 passes through to a reader of all its pictures in full size, and is decoded for others.
  @Test func camerasOwnVideoIsPassedThrough() {
    let layout = Self.layout(.h264)
    #expect(PreviewRequest(encoding: .h264, jpegQuality: 10).route(for: layout) == .passThrough)
    let others = [
      PreviewRequest(encoding: .h264, maxSize: Size(width: 640, height: 480)),
      PreviewRequest(encoding: .h264, maxFrameRate: Rational(5, 1)), PreviewRequest(encoding: .jpeg),
      PreviewRequest(encoding: .nv12),
    ]
    for request in others { #expect(request.route(for: layout) != .passThrough) }
    #expect(PreviewRequest(encoding: .h264).route(for: layout, reduction: Reduction(quality: 3)) != .passThrough)
    let turned = Orientation.asCaptured.rotated(by: .quarter)
    #expect(PreviewRequest(encoding: .h264).route(for: layout, orientation: turned) != .passThrough)
    #expect(PreviewRequest(encoding: .h264).route(for: Self.layout(.hevc)) != .passThrough)
  }

  @Test func rawPicturesAreEncodedForJPEGReaders() {
    #expect(PreviewRequest(jpegQuality: 55).route(for: Self.layout(.yuyv)) == Self.key(.jpeg, 55, 1280, 720))
  }

  /// Readers expect lines without padding, so a padded picture is copied.
  @Test func onlyPackedPicturesOfTheSameFormatArePassedThrough() {
    #expect(PreviewRequest(encoding: .nv12).route(for: Self.layout(.nv12)) == .passThrough)
    #expect(PreviewRequest(encoding: .nv12).route(for: Self.layout(.yuyv)) == Self.key(.nv12, 0, 1280, 720))
    #expect(PreviewRequest(encoding: .yuyv).route(for: Self.layout(.mjpeg)) == Self.key(.yuyv, 0, 1280, 720))
    var padded = Self.layout(.nv12)
    padded.planes = [
      FrameLayout.Plane(offset: 0, stride: 1344, rows: 720),
      FrameLayout.Plane(offset: 1344 * 720, stride: 1344, rows: 360),
    ]
    #expect(PreviewRequest(encoding: .nv12).route(for: padded) == Self.key(.nv12, 0, 1280, 720))
  }

  /// Screens show neither ten bits, nor PQ, nor the colours of BT.2020 as they are meant. The preview maps such
  /// pictures to limited range in every encoding.
  @Test func picturesOfHighDynamicRangeAreToneMapped() throws {
    let size = Size(width: 64, height: 36)
    for layout in [
      FrameLayout.packed(.p010, size), .packed(.nv12, size, transfer: .pq), .packed(.nv12, size, matrix: .bt2020),
    ] {
      for encoding in [PreviewEncoding.jpeg, .h264, .nv12] {
        let route = PreviewRequest(encoding: encoding).route(for: try #require(layout))
        guard case .encode(let key) = route else { return #expect(Bool(false), "passed") }
        #expect(key.mapsTones)
        #expect(key.range != .full)
      }
    }
    guard case .encode(let key) = PreviewRequest().route(for: Self.layout(.nv12)) else { return #expect(Bool(false)) }
    #expect(!key.mapsTones)
  }

  /// Readers of raw pictures expect limited range, because they are not told the range.
  @Test func fullRangePicturesAreNotPassedThrough() throws {
    let layout = try #require(FrameLayout.packed(.nv12, Self.size, range: .full))
    #expect(PreviewRequest(encoding: .nv12).route(for: layout) == Self.key(.nv12, 0, 1280, 720))
  }

  /// The picture is scaled no further than the reader's message requires.
  @Test func rawThatDoesNotFitTheMessageIsScaled() throws {
    let request = PreviewRequest(encoding: .nv12, maxMessageBytes: 1 << 20)
    guard case .encode(let key) = request.route(for: Self.layout(.nv12)) else { return #expect(Bool(false), "passed") }
    #expect(try #require(FrameLayout.packed(.nv12, key.size)).byteCount <= (1 << 20) - 1024)
    #expect(key.size.width > 1000)
  }

  /// The quality of a request concerns only JPEG and H.264, so readers of raw pictures share one encoding whatever
  /// their quality.
  @Test func readersOfRawPicturesShareWhateverTheirQuality() {
    let a = PreviewRequest(encoding: .yuyv, jpegQuality: 1).route(for: Self.layout(.nv12))
    #expect(a == PreviewRequest(encoding: .yuyv, jpegQuality: 99).route(for: Self.layout(.nv12)))
  }

  /// When a reader's link asks for a smaller picture, the camera's own JPEG cannot pass through.
  @Test func reducedJPEGIsEncodedAnew() {
    #expect(PreviewRequest().route(for: Self.layout(.mjpeg), scale: 32) == Self.key(.jpeg, 80, 640, 360))
  }

  @Test func aTurnedPictureIsAlwaysEncoded() {
    let sideways = Orientation(rotation: .quarter)
    let turned = Size(width: 720, height: 1280)
    for (encoding, format) in [(PreviewEncoding.jpeg, PixelFormat.mjpeg), (.nv12, .nv12), (.yuyv, .yuyv)] {
      let key = EncodingKey(
        format: encoding.pixelFormat, quality: encoding == .jpeg ? 80 : 0, size: turned, orientation: sideways,
        range: Self.range(encoding))
      #expect(PreviewRequest(encoding: encoding).route(for: Self.layout(format), orientation: sideways) == .encode(key))
    }
    let mirrored = Orientation(isMirrored: true)
    #expect(PreviewRequest().route(for: Self.layout(.mjpeg), orientation: mirrored) != .passThrough)
  }

  @Test func aSizeAppliesToTheTurnedPicture() {
    let request = PreviewRequest(maxSize: Size(width: 360, height: 1000))
    let route = request.route(for: Self.layout(.mjpeg), orientation: Orientation(rotation: .threeQuarters))
    guard case .encode(let key) = route else { return #expect(Bool(false), "passed") }
    #expect(key.size == Size(width: 360, height: 640))
  }
}
