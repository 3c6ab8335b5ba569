internal import CCairo
public import CaptureCore

/// A decoded image that is made once and drawn many times. An image equals only itself.
public final class OverlayPicture: Hashable, @unchecked Sendable {
  // `@unchecked` because of the surface: no code changes the surface after the initialisers, and drawing an image only
  // reads its surface.
  let surface: OpaquePointer
  private let share: ImageMemory.Share?
  /// The largest width and height of an image, in pixels.
  public static let largestSide = 4096

  /// The number of pixels of the image.
  public var pixelCount: Int {
    Int(cairo_image_surface_get_width(surface)) * Int(cairo_image_surface_get_height(surface))
  }

  private init(_ surface: OpaquePointer, _ share: ImageMemory.Share?) { (self.surface, self.share) = (surface, share) }

  deinit { cairo_surface_destroy(surface) }

  /// The number of pixels of a PNG file, from its first 24 bytes; 0 for a file that ``init(png:share:)`` refuses
  /// because of these bytes.
  public static func pixelCount(png: some Collection<UInt8>) -> Int {
    let beginning = Array(png.prefix(24))
    return Int(CCairo_png_pixels(beginning, beginning.count, Int32(largestSide)))
  }

  /// Decodes a PNG file. Decoding takes milliseconds, so a task on Swift's thread pool must not call this initialiser.
  ///
  /// - Parameters:
  ///   - png: The bytes of the file.
  ///   - share: The share of a budget, which the image holds for as long as it exists; nil for none.
  /// - Throws: `invalidArgument` when the file is not PNG, is damaged, or is more than 4096 pixels wide or high.
  public convenience init(png: [UInt8], share: ImageMemory.Share? = nil) throws(CaptureError) {
    let surface = png.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.flatMap { CCairo_read_png($0, bytes.count, Int32(Self.largestSide)) }
    }
    guard let surface else {
      throw CaptureError(
        .invalidArgument, "This is not a PNG picture of at most 4096 pixels a side, or it is damaged.", field: "png")
    }
    self.init(surface, share)
  }

  /// Creates an image from uncompressed pixels.
  ///
  /// - Parameters:
  ///   - rgba: R, G, B, A of each pixel without padding. The colours are not multiplied by A.
  ///   - size: The width and height in pixels.
  ///   - share: The share of a budget, which the image holds for as long as it exists; nil for none.
  /// - Throws: `invalidArgument` when `size` and the number of bytes do not match or `size` is out of range,
  ///   `outOfBuffers` when cairo finds no memory.
  public convenience init(rgba: [UInt8], _ size: Size, share: ImageMemory.Share? = nil) throws(CaptureError) {
    let sides = 1...Self.largestSide
    guard sides.contains(size.width), sides.contains(size.height), rgba.count == size.pixelCount * 4 else {
      throw CaptureError(
        .invalidArgument,
        "An image of \(size) has \(rgba.count) bytes; both sides are 1 to 4096, each pixel has 4 bytes.",
        metadata: ["size": "\(size)", "bytes": "\(rgba.count)"], field: "pixels")
    }
    guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height)),
      let target = cairo_image_surface_get_data(surface)
    else { throw CaptureError(.outOfBuffers, "No memory is left for an image of \(size).", field: "pixels") }
    let stride = Int(cairo_image_surface_get_stride(surface))
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (source, place) = ((y * size.width + x) * 4, y * stride + x * 4)
        let alpha = UInt32(rgba[source + 3])
        // cairo takes colours that are multiplied by opacity, in the order B, G, R, A.
        func weighted(_ value: UInt8) -> UInt8 { UInt8((UInt32(value) * alpha + 127) / 255) }
        target[place] = weighted(rgba[source + 2])
        target[place + 1] = weighted(rgba[source + 1])
        target[place + 2] = weighted(rgba[source])
        target[place + 3] = UInt8(alpha)
      }
    }
    cairo_surface_mark_dirty(surface)
    self.init(surface, share)
  }

  var size: Size {
    Size(width: Int(cairo_image_surface_get_width(surface)), height: Int(cairo_image_surface_get_height(surface)))
  }

  /// A picture is equal to itself alone, and not to another one that looks alike.
  public static func == (a: OverlayPicture, b: OverlayPicture) -> Bool { a === b }
  /// Hashes the identity of this object, because that decides about equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
