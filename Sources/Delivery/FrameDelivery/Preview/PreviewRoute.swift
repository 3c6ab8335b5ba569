internal import CaptureCore
internal import Imaging

/// The way of a frame to a reader.
enum PreviewRoute: Hashable, Sendable {
  /// The camera's own bytes go straight into the reader's slot.
  case passThrough
  case encode(EncodingKey)
  /// The layout of the frames is not known yet, so neither is the way.
  case unknown
}

extension PreviewRequest {
  /// The way for frames of `layout` while pressure limits the pictures of previews. A picture that is passed through is
  /// not limited: it costs least as it is, because the preview would have to decode it to make it smaller.
  func route(
    for layout: FrameLayout, orientation: Orientation, scale: Int, reduction: Reduction, limits: PictureLimits
  ) -> PreviewRoute {
    let usual = route(for: layout, orientation: orientation, scale: scale, reduction: reduction)
    guard limits != PictureLimits(), case .encode = usual else { return usual }
    var limited = self
    if let side = limits.side {
      let asAsked =
        if case .encode(let key) = route(for: layout, orientation: orientation) { key.size } else { layout.size }
      limited.maxSize = PictureFit.size(asAsked, into: Size(width: side, height: side), scale: PictureFit.fullScale)
    }
    if let quality = limits.quality { limited.jpegQuality = min(jpegQuality, quality) }
    return limited.route(for: layout, orientation: orientation, scale: scale, reduction: reduction)
  }

  /// The way for frames of `layout`.
  ///
  /// - Parameters:
  ///   - layout: the layout of the camera's frames.
  ///   - orientation: how the connection turns pictures.
  ///   - scale: how many 64ths of their sides compressed pictures keep, because larger ones did not fit the message.
  ///   - reduction: how much less the reader's link asks for.
  func route(
    for layout: FrameLayout, orientation: Orientation = .asCaptured, scale: Int = PictureFit.fullScale,
    reduction: Reduction = .none
  ) -> PreviewRoute {
    let orientation = orientation.rotated(by: rotation)
    let scale = max(1, scale * reduction.scale / PictureFit.fullScale)
    let (size, crop) = fit(layout.size, orientation, scale: scale)
    let isUntouched = size == layout.size && orientation == .asCaptured && crop == nil
    var key = EncodingKey(
      format: encoding.pixelFormat, quality: 0, size: size, orientation: orientation,
      mapsTones: layout.isHighDynamicRange, crop: crop)
    switch encoding {
    case .jpeg:
      if layout.pixelFormat.isJPEG && isUntouched && reduction.quality == Reduction.none.quality { return .passThrough }
      key.quality = max(1, jpegQuality * reduction.quality / Reduction.none.quality)
    case .h264:
      // A camera's own stream cannot leave pictures out.
      if layout.pixelFormat == .h264 && isUntouched && reduction == .none && pace(reduction) == FramePace() {
        return .passThrough
      }
      key.quality = max(1, jpegQuality * reduction.quality / Reduction.none.quality)
      key.size = size.evenSize
      key.pace = pace(reduction)
    case .nv12, .yuyv:
      key.size = PictureFit.size(size, as: key.format, maxBytes: maxPictureBytes)
      // A frame does not tell its readers the range, so the range must not depend on the camera.
      key.range = .limited
      let isReady =
        layout.pixelFormat == key.format && layout.range == .limited && !layout.isHighDynamicRange
        && layout.planes == FrameLayout.packed(layout.pixelFormat, layout.size)?.planes
      if isReady && isUntouched && key.size == size { return .passThrough }
    }
    return .encode(key)
  }

  /// The size of the reader's picture, and the part of the camera's picture that is shown. Nil shows the whole picture.
  private func fit(_ captured: Size, _ orientation: Orientation, scale: Int) -> (Size, Crop?) {
    let whole = orientation.turned(captured)
    guard let maxSize, gravity != .resizeAspect else {
      return (PictureFit.size(whole, into: maxSize, scale: scale), nil)
    }
    let size = PictureFit.size(whole, shapedAs: maxSize, scale: scale)
    if gravity == .resize { return (size, nil) }
    return (size, PictureFit.middle(of: captured, shapedAs: orientation.turned(maxSize)))
  }
}
