internal import CaptureCore
internal import FirstlightAPI
internal import OverlayDrawing

extension Overlay {
  /// The largest number of elements of an overlay, and the largest number of bytes of a text.
  private static let (maximumElements, maximumText) = (64, 256)
  /// The largest number of pixels of all images of an overlay together. The limit is on pixels and not on bytes,
  /// because a small file may contain a large picture.
  private static let maximumPixels = OverlayPicture.largestSide * OverlayPicture.largestSide
  /// The range of positions, as fractions of the picture's width or height. The ends of the range are far outside of
  /// every picture, and within the range of cairo's coordinates.
  private static let places = -16.0...16.0

  /// Reads an overlay from a request and decodes its images. Only an overlay with images waits for the decoder.
  ///
  /// - Parameters:
  ///   - path: the path of the overlay in its request, for the fields of errors.
  ///   - decoder: decodes the images.
  /// - Throws: `invalidArgument` for values out of range and for images that cannot be decoded; `tooManyRequests` when
  ///   too many overlays with images wait to be decoded; `outOfBuffers` when the images of all overlays leave too
  ///   little memory for the images of this overlay; `processingFailed` when the system cannot create a thread.
  init(
    _ proto: Firstlight_V1_Overlay, path: String, decoder: ImageDecoder = .shared
  ) async throws(CaptureError) {
    guard proto.elements.count <= Self.maximumElements else {
      throw CaptureError(
        .invalidArgument, "An overlay has at most 64 elements, not \(proto.elements.count).",
        metadata: ["count": "\(proto.elements.count)"], field: "\(path).elements")
    }
    if try Self.hasImages(proto, path: path) {
      self = try await decoder.run { [memory = decoder.memory] () throws(CaptureError) in
        try Overlay(decoding: proto, path: path, memory)
      }
    } else {
      try self.init(decoding: proto, path: path, decoder.memory)
    }
  }

  /// Returns whether the overlay has images, and checks their sizes before any image is decoded.
  ///
  /// - Throws: `invalidArgument` when the images together have more pixels than ``maximumPixels``.
  private static func hasImages(_ proto: Firstlight_V1_Overlay, path: String) throws(CaptureError) -> Bool {
    var (pixels, hasImages) = (0, false)
    for (index, element) in proto.elements.enumerated() {
      guard case .image(let image) = element.content else { continue }
      hasImages = true
      switch image.source {
      case .png(let bytes): pixels += OverlayPicture.pixelCount(png: bytes)
      case .pixels(let raw): pixels += raw.rgba.count / 4
      case nil: break
      }
      guard pixels <= maximumPixels else {
        throw CaptureError(
          .invalidArgument,
          "The images of an overlay have at most \(maximumPixels) pixels together; make them smaller.",
          metadata: ["limit": "\(maximumPixels)"], field: "\(path).elements[\(index)].image")
      }
    }
    return hasImages
  }

  private init(decoding proto: Firstlight_V1_Overlay, path: String, _ memory: ImageMemory) throws(CaptureError) {
    self.init()
    for (index, element) in proto.elements.enumerated() {
      let path = "\(path).elements[\(index)]"
      switch element.content {
      case .text(let text): elements.append(.text(try Self.text(text, "\(path).text")))
      case .image(let image): elements.append(.image(try Self.image(image, "\(path).image", memory)))
      case .box(let box): elements.append(.box(try Self.box(box, "\(path).box")))
      case nil:
        throw CaptureError(.invalidArgument, "An element is empty; it must be text, image or box.", field: path)
      }
    }
  }

  private static func text(_ proto: Firstlight_V1_OverlayText, _ path: String) throws(CaptureError) -> Text {
    Text(
      try check(proto.string, "\(path).string"), x: try check(proto.x, places, "\(path).x"),
      y: try check(proto.y, places, "\(path).y"),
      height: try check(proto.hasRelativeHeight ? proto.relativeHeight : 0.05, 0.001...1, "\(path).relative_height"),
      color: proto.hasColor ? Color(rawValue: proto.color) : .white,
      background: proto.hasBackground ? Color(rawValue: proto.background) : nil)
  }

  private static func box(_ proto: Firstlight_V1_OverlayBox, _ path: String) throws(CaptureError) -> Box {
    Box(
      x: try check(proto.x, places, "\(path).x"), y: try check(proto.y, places, "\(path).y"),
      width: try check(proto.relativeWidth, 0...16, "\(path).relative_width"),
      height: try check(proto.relativeHeight, 0...16, "\(path).relative_height"),
      color: proto.hasColor ? Color(rawValue: proto.color) : .green,
      lineWidth: try check(proto.hasLineWidth ? proto.lineWidth : 0.005, 0...1, "\(path).line_width"),
      label: try check(proto.label, "\(path).label"))
  }

  private static func image(
    _ proto: Firstlight_V1_OverlayImage, _ path: String, _ memory: ImageMemory
  ) throws(CaptureError) -> Image {
    let (x, y) = (try check(proto.x, places, "\(path).x"), try check(proto.y, places, "\(path).y"))
    let width = proto.hasRelativeWidth ? try check(proto.relativeWidth, 0.001...16, "\(path).relative_width") : nil
    do throws(CaptureError) {
      let picture =
        switch proto.source {
        case .png(let bytes):
          try OverlayPicture(
            png: Array(bytes), share: memory.take(pixels: OverlayPicture.pixelCount(png: bytes)))
        case .pixels(let pixels):
          try OverlayPicture(
            rgba: Array(pixels.rgba), Size(width: Int(pixels.width), height: Int(pixels.height)),
            share: memory.take(pixels: pixels.rgba.count / 4))
        case nil: throw CaptureError(.invalidArgument, "An image has no pixels; give it png or pixels.")
        }
      return Image(picture, x: x, y: y, width: width)
    } catch {
      var error = error
      error.field = error.field.map { "\(path).\($0)" } ?? path
      throw error
    }
  }

  private static func check(
    _ value: Double, _ range: ClosedRange<Double>, _ field: String
  ) throws(CaptureError) -> Double {
    // No range contains NaN, so the guard refuses it too.
    guard range.contains(value) else {
      throw CaptureError(
        .invalidArgument, "\(field) is \(value); allowed: \(range.lowerBound) to \(range.upperBound).",
        metadata: ["value": "\(value)", "allowed": "\(range.lowerBound) to \(range.upperBound)"], field: field)
    }
    return value
  }

  private static func check(_ text: String, _ field: String) throws(CaptureError) -> String {
    guard text.utf8.count <= maximumText, !text.utf8.contains(0) else {
      throw CaptureError(
        .invalidArgument, "A text has at most 256 bytes, none of them zero.",
        metadata: ["bytes": "\(text.utf8.count)"], field: field)
    }
    return text
  }
}
