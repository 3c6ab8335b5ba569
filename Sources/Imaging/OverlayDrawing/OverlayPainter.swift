public import CaptureCore
internal import Foundation
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

/// Draws overlays into layers, and keeps the layer that it drew last. Thread-bound: only one thread may use an
/// instance.
public final class OverlayDrawer {
  private let budget: ImageMemory
  private let canvas = OverlayCanvas()
  private var drawn: (overlay: Overlay, fit: OverlayLayer.Fit, layer: OverlayLayer?)?
  private var newestTime: (second: UInt64, text: String)?

  /// Creates a drawer.
  ///
  /// - Parameter budget: The budget from which each layer takes its memory for as long as the layer exists.
  public init(budget: ImageMemory = ImageMemory(budget: .max)) { self.budget = budget }

  /// Draws `overlay` as a layer that fits painted pictures of `layout`. The drawer returns its last layer again when
  /// overlay and fit are the same.
  ///
  /// - Parameters:
  ///   - layout: The layout of the painted pictures, see ``OverlayPainter/painted(_:range:)``.
  ///   - orientation: How the painted pictures will be turned. The drawing is upright after that.
  ///   - time: The time at which the frame was captured, for `{time}`.
  /// - Returns: The layer; nil when every pixel of the overlay is transparent.
  /// - Throws: `outOfBuffers` when the budget is used up.
  public func layer(
    _ overlay: Overlay, over layout: FrameLayout, _ orientation: Orientation, time: WallInstant
  ) throws(CaptureError) -> OverlayLayer? {
    let overlay = overlay.resolved { text(of: time) }
    let fit = OverlayLayer.Fit(layout, orientation)
    if let drawn, drawn.overlay == overlay, drawn.fit == fit { return drawn.layer }
    drawn = nil
    let layer = try canvas.draw(overlay, over: layout.size, orientation).map { drawing throws(CaptureError) in
      try OverlayLayer(drawing, fit, budget)
    }
    drawn = (overlay, fit, layer)
    return layer
  }

  /// Releases the last layer and overlay, and with the overlay the drawer's references to its images.
  public func forget() { drawn = nil }

  /// Formats a time in the daemon's time zone, to the second. The text, and therefore the drawing, changes only once a
  /// second.
  private func text(of time: WallInstant) -> String {
    let second = time.nanoseconds / 1_000_000_000
    if let newestTime, newestTime.second == second { return newestTime.text }
    var (instant, parts) = (time_t(second), tm())
    localtime_r(&instant, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
    let text = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    newestTime = (second, text)
    return text
  }
}
