public import CaptureCore
public import Imaging
public import SystemClocks

/// Draws overlays over pictures. Thread-bound: only one thread may use an instance.
public final class OverlayPainter {
  private let converter: PictureConverter
  private let drawer = OverlayDrawer()

  /// - Parameter pool: The pool from which painted pictures take their memory.
  public init(pool: FramePool) { converter = PictureConverter(pool: pool) }

  /// The layout of a painted picture; nil for a format that cannot be read.
  ///
  /// - Parameters:
  ///   - layout: The layout of the picture that the overlay is drawn over.
  ///   - range: The range of the result, see ``paint(_:_:over:range:orientation:time:)``.
  public static func painted(_ layout: FrameLayout, range: FrameLayout.Range? = nil) -> FrameLayout? {
    let layout = layout.decoded
    guard PictureConverter.canConvert(layout.pixelFormat, to: .yuv420) else { return nil }
    return PictureConverter.layout(of: layout, in: .yuv420, layout.size, range: range, mapsTones: true)
  }

  /// Returns `picture` in planar 4:2:0 without padding, with the tones that screens show, and with `overlay` and
  /// `layer` drawn over it.
  ///
  /// The result is `picture` itself when it has that format already and there is nothing to draw.
  ///
  /// - Parameters:
  ///   - overlay: The overlay to draw.
  ///   - layer: A layer that was drawn before, and that lies over `overlay`; nil for none. The painter ignores a layer
  ///     that does not fit the result.
  ///   - range: The range of the result; nil keeps the range that ``PictureConverter`` gives.
  ///   - orientation: How the result will be turned. The drawing is upright after that.
  ///   - time: The time at which the frame was captured, for `{time}`.
  /// - Throws: The errors of ``PictureConverter/convert(_:to:size:orientation:range:mapsTones:finish:)``.
  public func paint(
    _ overlay: Overlay, _ layer: OverlayLayer? = nil, over picture: Picture, range: FrameLayout.Range? = nil,
    orientation: Orientation, time: WallInstant
  ) throws(CaptureError) -> Picture {
    var finish: PictureConverter.Finish?
    let isPacked = picture.layout.planes == FrameLayout.packed(.yuv420, picture.layout.size)?.planes
    if !isPacked || !overlay.elements.isEmpty || layer != nil {
      finish = { [drawer] layout, memory in
        if !overlay.elements.isEmpty {
          // The painter's own drawer has an unlimited budget, so that drawing does not throw.
          let own = try? drawer.layer(overlay, over: layout, orientation, time: time)
          own?.blend(into: layout, memory)
        }
        if let layer, layer.fit == OverlayLayer.Fit(layout, orientation) { layer.blend(into: layout, memory) }
      }
    }
    return try converter.convert(picture, to: .yuv420, range: range, mapsTones: true, finish: finish)
  }

  /// Releases the last layer and overlay, and with the overlay the painter's references to its images.
  public func forget() { drawer.forget() }
}
