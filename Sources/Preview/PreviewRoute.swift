internal import CaptureCore

/// All that tells one encoding from another: readers who want the same share the work.
struct EncodingKey: Hashable, Sendable {
  var format: PixelFormat
  /// 0 where there is none, so that raw readers share whatever quality they named.
  var quality: Int
  /// Of the result, after turning.
  var size: Size
  var orientation = Orientation.asCaptured
}

/// The way of a frame to a reader.
enum PreviewRoute: Hashable, Sendable {
  /// The camera's own bytes, straight into the slot.
  case passThrough
  case encode(EncodingKey)
  /// Not known before the first frame.
  case unknown
}

extension PreviewRequest {
  /// The way for frames of `layout` when pictures are limited. What is passed through costs least as it is: to make it
  /// smaller it would have to be decoded.
  func route(
    for layout: FrameLayout, orientation: Orientation, scale: Int, limits: PictureLimits
  ) -> PreviewRoute {
    let usual = route(for: layout, orientation: orientation, scale: scale)
    guard limits != PictureLimits(), case .encode = usual else { return usual }
    var limited = self
    if let side = limits.side {
      let unscaled = PictureFit.size(orientation.turned(layout.size), into: maxSize, scale: PictureFit.fullScale)
      limited.maxSize = PictureFit.size(unscaled, into: Size(width: side, height: side), scale: PictureFit.fullScale)
    }
    if let quality = limits.quality { limited.jpegQuality = min(jpegQuality, quality) }
    return limited.route(for: layout, orientation: orientation, scale: scale)
  }

  /// The way for frames of `layout`.
  ///
  /// - Parameters:
  ///   - orientation: how they are turned; ``maxSize`` means the turned picture.
  ///   - scale: 64ths that JPEG pictures are reduced to, because larger ones did not fit the message.
  func route(
    for layout: FrameLayout, orientation: Orientation = .asCaptured, scale: Int = PictureFit.fullScale
  ) -> PreviewRoute {
    let size = PictureFit.size(orientation.turned(layout.size), into: maxSize, scale: scale)
    let isUntouched = size == layout.size && orientation == .asCaptured
    switch encoding {
    case .jpeg:
      if layout.pixelFormat.isJPEG && isUntouched { return .passThrough }
      return .encode(EncodingKey(format: .jpeg, quality: jpegQuality, size: size, orientation: orientation))
    case .nv12, .yuyv:
      let fitted = PictureFit.size(size, as: encoding.pixelFormat, maxBytes: maxPictureBytes)
      let isPacked =
        layout.pixelFormat == encoding.pixelFormat
        && layout.planes == FrameLayout.packed(layout.pixelFormat, layout.size)?.planes
      if isPacked && isUntouched && fitted == size { return .passThrough }
      return .encode(EncodingKey(format: encoding.pixelFormat, quality: 0, size: fitted, orientation: orientation))
    }
  }
}
