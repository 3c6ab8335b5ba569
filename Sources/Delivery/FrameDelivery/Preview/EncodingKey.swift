internal import CaptureCore
internal import Imaging

/// All that tells one encoding from another: readers who want the same share the work.
struct EncodingKey: Hashable, Sendable {
  var format: PixelFormat
  /// 0 where there is none, so that raw readers share whatever quality they named.
  var quality: Int
  /// Of the result, after turning.
  var size: Size
  var orientation = Orientation.asCaptured
  /// Of luma and chroma in the result. Nil: as they come.
  var range: FrameLayout.Range?
  /// Whether a camera's high dynamic range is shown as screens can.
  var mapsTones = false
  /// The part of the camera's picture that is shown, before turning. Nil: all of it.
  var crop: Crop?
  /// Of what is coded picture by picture from the one before, so that its readers must get the same frames. Else nil.
  var pace: FramePace?
}

extension EncodingKey {
  /// Whether who wants `wanted` can do with this: it turns the same way, is no larger and comes as often.
  func canStandIn(for wanted: EncodingKey) -> Bool {
    (format, orientation, range, pace) == (wanted.format, wanted.orientation, wanted.range, wanted.pace)
      && mapsTones == wanted.mapsTones && size.width <= wanted.size.width && size.height <= wanted.size.height
  }

  /// Of those that can stand in for this the one most like it: in shape, then size, then quality.
  func nearest(of keys: some Collection<EncodingKey>) -> EncodingKey? {
    keys.min { a, b in
      func distance(_ key: EncodingKey) -> (Int, Int, Int, Int) {
        (key.crop == crop ? 0 : 1, -key.size.pixelCount, abs(key.quality - quality), key.quality)
      }
      return distance(a) < distance(b)
    }
  }
}
