import CaptureCore
import CaptureTestKit
import Imaging
import SystemClocks
import Testing

@testable import PhotoLibrary

/// Which pictures of an asset a client gets.
@Suite(.timeLimit(.minutes(1))) struct AssetImagesTests {
  private let rig = LibraryRig()

  private static func request(
    _ target: Size?, _ mode: ImageRequest.DeliveryMode = .opportunistic, fills: Bool = false, secondary: Bool = false
  ) -> ImageRequest {
    ImageRequest(
      target: target, contentMode: fills ? .aspectFill : .aspectFit, deliveryMode: mode,
      allowsSecondaryDegradedImage: secondary)
  }

  /// The sizes of the pictures, and whether they are degraded.
  private func pictures(
    _ request: ImageRequest, of asset: Asset, _ library: PhotoLibrary
  ) async throws -> [String] {
    var found: [String] = []
    for step in try await library.imageSteps(for: request, of: asset.id) {
      let image = try await library.image(step)
      let size = image.buffer.withUnsafeBytes { JPEGSize.read($0) }
      #expect(size == image.size)
      found.append("\(image.size)\(image.isDegraded ? " degraded" : "")")
    }
    return found
  }

  @Test("K10, K11") func degradedPicturesComeFirst() async throws {
    try await rig.withLibrary { library in
      let photo = try rig.jpeg(Size(width: 1920, height: 1080))
      let asset = try await library.perform([try rig.new(photo)])[0]
      func check(_ request: ImageRequest, _ expected: [String]) async throws {
        #expect(try await pictures(request, of: asset, library) == expected, "\(request)")
      }
      try await check(Self.request(nil), ["320x180 degraded", "1920x1080"])
      try await check(
        Self.request(nil, secondary: true), ["320x180 degraded", "960x540 degraded", "1920x1080"])
      try await check(Self.request(nil, .highQualityFormat, secondary: true), ["1920x1080"])
      try await check(Self.request(nil, .fastFormat, secondary: true), ["320x180 degraded"])
      let box = Size(width: 800, height: 800)
      try await check(Self.request(box), ["320x180 degraded", "800x450"])
      try await check(Self.request(box, fills: true), ["320x180 degraded", "1423x800"])
      // The thumbnail is as good as what is asked for, so it is not needed.
      try await check(Self.request(Size(width: 320, height: 320)), ["320x180"])
      try await check(Self.request(Size(width: 200, height: 200), .fastFormat), ["200x112"])
      // A photo is never scaled up.
      try await check(
        Self.request(Size(width: 9000, height: 9000), fills: true), ["320x180 degraded", "1920x1080"])
      // Half of the picture would be smaller than the thumbnail.
      try await check(Self.request(Size(width: 500, height: 500), secondary: true), ["320x180 degraded", "500x282"])
    }
  }

  @Test func aPhotoOfAnotherFormatComesAsItIs() async throws {
    try await rig.withLibrary { library in
      let asset = try await library.perform([try rig.new(rig.heic())])[0]
      #expect(asset.thumbnail == nil)
      let steps = try await library.imageSteps(
        for: Self.request(Size(width: 100, height: 100), secondary: true), of: asset.id)
      #expect(steps.count == 1)
      let image = try await library.image(steps[0])
      #expect(image.encoding == .heic && image.buffer.count == 1000 && !image.isDegraded)
      #expect(image.size == Size(width: 640, height: 360))
    }
  }

  /// The head of a file is no proof that the rest can be decoded.
  @Test func aPhotoThatCannotBeDecodedHasNoThumbnail() async throws {
    let whole = try rig.jpeg()
    var bytes = whole.buffer.withUnsafeBytes { Array($0) }
    bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2 + 8, with: Array(repeating: 0xff, count: 8))
    let photo = try #require(PictureFile.read(rig.buffer(bytes)))
    try await rig.withLibrary { library in
      let asset = try await library.perform([try rig.new(photo)])[0]
      #expect(asset.thumbnail == nil && asset.photo?.byteCount == UInt64(whole.buffer.count))
    }
  }

  /// A phone says in its files how their pictures are turned. Thumbnails and scaled pictures are upright.
  @Test(arguments: zip(1...8, [0, 1, 3, 2, 0, 1, 3, 2]))
  func uploadsAreShownUpright(_ value: Int, _ corner: Int) throws {
    let size = Size(width: 64, height: 32)
    let layout = try #require(FrameLayout.packed(.grey, size))
    // Only the quarter at the top left is bright.
    let pixels = (0..<32).flatMap { y in (0..<64).map { x in UInt8(x < 32 && y < 16 ? 220 : 30) } }
    let drawn = try JPEGEncoder(pool: rig.pool).encode(Picture(layout: layout, buffer: rig.buffer(pixels)), quality: 90)
    let bytes = drawn.buffer.withUnsafeBytes { Array($0) }
    for isLittle in [true, false] {
      let file = Array(bytes.prefix(2)) + Self.exif(orientation: UInt8(value), isLittle: isLittle) + bytes.dropFirst(2)
      let photo = try #require(PictureFile.read(rig.buffer(file)))
      let shown = PictureFile.shownSize(of: photo)
      #expect(shown == (value > 4 ? Size(width: 32, height: 64) : size))
      let scaled = try PictureFile(pool: rig.pool).scaled(photo, to: shown)
      let picture = try JPEGDecoder(pool: rig.pool).decode(scaled)
      let luma = picture.buffer.withUnsafeBytes { Array($0.prefix(shown.pixelCount)) }
      let corners = [0, 1, 2, 3].map { place in
        luma[(place < 2 ? 4 : shown.height - 4) * shown.width + (place % 2 == 0 ? 4 : shown.width - 4)]
      }
      #expect(corners.firstIndex { $0 > 128 } == corner && corners.filter { $0 > 128 }.count == 1, "\(corners)")
    }
  }

  /// A segment with the tag for the orientation, behind another tag.
  private static func exif(orientation: UInt8, isLittle: Bool) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let digits = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isLittle ? digits : digits.reversed()
    }
    let head: [UInt8] = isLittle ? [0x49, 0x49] : [0x4d, 0x4d]
    let block =
      head + number(42, 2) + number(8, 4) + number(2, 2)
      + number(0x0100, 2) + number(3, 2) + number(1, 4) + number(64, 2) + [0, 0]
      + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(Int(orientation), 2) + [0, 0] + number(0, 4)
    return [0xff, 0xe1, 0, UInt8(block.count + 8)] + Array("Exif".utf8) + [0, 0] + block
  }

  /// Whatever a file says, its segments are only read as far as they go.
  @Test func aSegmentThatIsCutOffShowsThePictureAsItIs() throws {
    let whole: [UInt8] = [0xff, 0xd8] + Self.exif(orientation: 6, isLittle: true)
    for count in 0..<whole.count {
      let orientation = whole.prefix(count).withUnsafeBytes(EXIFOrientation.read)
      #expect(orientation == .asCaptured, "\(count) bytes")
    }
    #expect(whole.withUnsafeBytes(EXIFOrientation.read) == Orientation(rotation: .quarter))
  }

  @Test func filesAreKnownByTheirHeads() throws {
    let png: [UInt8] =
      [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 0, 0, 0, 1, 0]
      + Array(repeating: 0, count: 20) + [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]
    func read(_ bytes: [UInt8]) -> Picture? { PictureFile.read(rig.buffer(bytes)) }
    let picture = try #require(read(png))
    #expect(picture.layout.pixelFormat == .png && picture.layout.size == Size(width: 512, height: 256))
    #expect(read(Array(png.dropLast())) == nil, "cut off")
    #expect(read([]) == nil)
    #expect(read(Array("GIF89a and more bytes than a head of a file has".utf8)) == nil)
    let jpeg = try rig.jpeg().buffer.withUnsafeBytes { Array($0) }
    #expect(read(jpeg)?.layout.size == Size(width: 640, height: 360))
    #expect(read(Array(jpeg.dropLast(2))) == nil, "cut off")
  }
}
