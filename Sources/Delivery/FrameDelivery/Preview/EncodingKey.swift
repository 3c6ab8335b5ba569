internal import CaptureCore
internal import Imaging

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
