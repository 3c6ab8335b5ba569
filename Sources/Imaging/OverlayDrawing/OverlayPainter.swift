public import CaptureCore
public import Imaging

/// Draws overlays over pictures. Thread-bound.
public final class OverlayPainter {
  private let converter: PictureConverter
  private let drawer = OverlayDrawer()

  /// - Parameter pool: where painted pictures get their memory.
  public init(pool: FramePool) { converter = PictureConverter(pool: pool) }

  /// How a painted picture is laid out; nil for a picture that cannot be read.
  ///
  /// - Parameters:
  ///   - layout: of what is painted over.
  ///   - range: see ``paint(_:_:over:range:orientation:wallNanoseconds:)``.
  public static func painted(_ layout: FrameLayout, range: FrameLayout.Range? = nil) -> FrameLayout? {
    guard PictureConverter.canConvert(layout.pixelFormat, to: .yuv420) else { return nil }
    return PictureConverter.layout(of: layout, in: .yuv420, layout.size, range: range, mapsTones: true)
  }

  /// A picture like `picture`, in planar 4:2:0 without padding and as screens show it, with `overlay` over it; itself when it is
  /// that already and nothing is drawn.
  ///
  /// - Parameters:
  ///   - layer: drawn before, lies over `overlay`; only where it fits.
  ///   - range: of the result; nil leaves it as it is.
  ///   - orientation: how the result will be turned: what is drawn is upright after that.
  ///   - wallNanoseconds: when it was captured, for `{time}`.
  /// - Throws: as ``PictureConverter/convert(_:to:size:orientation:range:mapsTones:finish:)``.
  public func paint(
    _ overlay: Overlay, _ layer: OverlayLayer? = nil, over picture: Picture, range: FrameLayout.Range? = nil,
    orientation: Orientation, wallNanoseconds: UInt64
  ) throws(CaptureError) -> Picture {
    var finish: PictureConverter.Finish?
    let isPacked = picture.layout.planes == FrameLayout.packed(.yuv420, picture.layout.size)?.planes
    if !isPacked || !overlay.elements.isEmpty || layer != nil {
      finish = { [drawer] layout, memory in
        if !overlay.elements.isEmpty {
          // Its budget has no end.
          let own = try? drawer.layer(overlay, over: layout, orientation, wallNanoseconds: wallNanoseconds)
          own?.blend(into: layout, memory)
        }
        if let layer, layer.fit == OverlayLayer.Fit(layout, orientation) { layer.blend(into: layout, memory) }
      }
    }
    return try converter.convert(picture, to: .yuv420, range: range, mapsTones: true, finish: finish)
  }

  /// Lets go of what it drew last, pictures of the overlay included.
  public func forget() { drawer.forget() }
}
