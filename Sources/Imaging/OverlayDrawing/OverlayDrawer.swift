public import CaptureCore
internal import Foundation
public import SystemClocks

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
