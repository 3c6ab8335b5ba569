public import CaptureCore
internal import Imaging
internal import VideoCoding

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

/// Everything that tells one encoding from another. Readers who want the same encoding share its work.
struct EncodingKey: Hashable, Sendable {
  var format: PixelFormat
  /// The quality of JPEG and H.264, 1 to 100. 0 for formats without a quality, so that readers of raw pictures share an
  /// encoding whatever quality they asked for.
  var quality: Int
  /// The size of the result in pixels, after turning.
  var size: Size
  var orientation = Orientation.asCaptured
  /// The range of luma and chroma in the result. Nil leaves the range as it comes.
  var range: FrameLayout.Range?
  /// Whether a picture of high dynamic range is mapped to what screens can show.
  var mapsTones = false
  /// The part of the camera's picture that is shown, before turning. Nil shows the whole picture.
  var crop: Crop?
  /// The frames that an H.264 encoding takes: each of its pictures needs the one before it, so all readers of the
  /// encoding must get the same frames. Nil for other encodings.
  var pace: FramePace?
}

extension EncodingKey {
  /// Whether a reader who wants `wanted` can use this encoding in its place: the pictures have the same format, range
  /// and tones, are turned the same way, come as often and are no larger.
  func canStandIn(for wanted: EncodingKey) -> Bool {
    (format, orientation, range, pace) == (wanted.format, wanted.orientation, wanted.range, wanted.pace)
      && mapsTones == wanted.mapsTones && size.width <= wanted.size.width && size.height <= wanted.size.height
  }

  /// The encoding of `keys` that is most like this one: by its shape, then by the larger size, then by quality. The
  /// caller passes only encodings that can stand in for this one. Nil when `keys` is empty.
  func nearest(of keys: some Collection<EncodingKey>) -> EncodingKey? {
    keys.min { a, b in
      func distance(_ key: EncodingKey) -> (Int, Int, Int, Int) {
        (key.crop == crop ? 0 : 1, -key.size.pixelCount, abs(key.quality - quality), key.quality)
      }
      return distance(a) < distance(b)
    }
  }
}

/// How a preview picture is encoded.
public enum PreviewEncoding: Hashable, Sendable, CaseIterable {
  case jpeg
  /// Raw: the luma plane, then a plane of interleaved Cb and Cr at half the width and height.
  case nv12
  /// Raw: one plane of Y0 Cb Y1 Cr.
  case yuyv
  /// H.264 as an Annex B byte stream, with the parameter sets before each key frame.
  case h264

  /// The pixel format of a preview's picture in this encoding.
  public var pixelFormat: PixelFormat {
    switch self {
    case .jpeg: .jpeg
    case .nv12: .nv12
    case .yuyv: .yuyv
    case .h264: .h264
    }
  }

  /// The encoders of ``h264`` on this machine, in the order in which previews try them: libavcodec's name, and whether
  /// the encoder is the machine's own. Asks libavcodec; empty where that is not installed.
  ///
  /// - Parameter usingHardware: whether the daemon may use the machine's own encoders.
  package static func videoEncoders(usingHardware: Bool) -> [(name: String, isHardware: Bool)] {
    H264Encoder.encoders(allowsHardware: usingHardware)
  }

  /// The steps by which a reader on a slow link gets less.
  var steps: [LinkAdaptation.Step] {
    switch self {
    case .jpeg, .h264: LinkAdaptation.compressed
    case .nv12, .yuyv: LinkAdaptation.raw
    }
  }
}
