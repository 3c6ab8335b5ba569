internal import CaptureCore

/// All that tells one encoding from another: readers who want the same share the work.
struct EncodingKey: Hashable, Sendable {
  var encoding: PreviewEncoding
  /// 0 where there is none, so that raw readers share whatever quality they named.
  var quality: Int
  var size: Size
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
  /// The way for frames of `layout`.
  ///
  /// - Parameter scale: 64ths that JPEG pictures are reduced to, because larger ones did not fit the message.
  func route(for layout: FrameLayout, scale: Int = PictureFit.fullScale) -> PreviewRoute {
    let size = PictureFit.size(layout.size, into: maxSize, scale: scale)
    switch encoding {
    case .jpeg:
      let isJPEG = layout.pixelFormat == .jpeg || layout.pixelFormat == .mjpeg
      if isJPEG && size == layout.size { return .passThrough }
      return .encode(EncodingKey(encoding: .jpeg, quality: jpegQuality, size: size))
    case .nv12, .yuyv:
      let fitted = PictureFit.size(size, as: encoding.pixelFormat, maxBytes: maxPictureBytes)
      let isPacked =
        layout.pixelFormat == encoding.pixelFormat
        && layout.planes == FrameLayout.packed(layout.pixelFormat, layout.size)?.planes
      if isPacked && fitted == layout.size { return .passThrough }
      return .encode(EncodingKey(encoding: encoding, quality: 0, size: fitted))
    }
  }
}
