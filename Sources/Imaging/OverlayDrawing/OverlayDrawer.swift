public import CaptureCore
internal import Foundation

/// Draws overlays, and keeps what it drew last. Thread-bound.
public final class OverlayDrawer {
  private let budget: ImageMemory
  private let canvas = OverlayCanvas()
  private var drawn: (overlay: Overlay, fit: OverlayLayer.Fit, layer: OverlayLayer?)?
  private var newestTime: (second: UInt64, text: String)?

  /// - Parameter budget: for what it draws, as long as anybody has it.
  public init(budget: ImageMemory = ImageMemory(budget: .max)) { self.budget = budget }

  /// Draws `overlay` as it lies over painted pictures.
  ///
  /// - Parameters:
  ///   - layout: of those, see ``OverlayPainter/painted(_:range:)``.
  ///   - orientation: how they will be turned: what is drawn is upright after that.
  ///   - wallNanoseconds: when they were captured, for `{time}`.
  /// - Returns: nil when nothing of it shows.
  /// - Throws: `outOfBuffers` when the budget is used up.
  public func layer(
    _ overlay: Overlay, over layout: FrameLayout, _ orientation: Orientation, wallNanoseconds: UInt64
  ) throws(CaptureError) -> OverlayLayer? {
    let overlay = overlay.resolved { time(wallNanoseconds) }
    let fit = OverlayLayer.Fit(layout, orientation)
    if let drawn, drawn.overlay == overlay, drawn.fit == fit { return drawn.layer }
    drawn = nil
    let layer = try canvas.draw(overlay, over: layout.size, orientation).map { drawing throws(CaptureError) in
      try OverlayLayer(drawing, fit, budget)
    }
    drawn = (overlay, fit, layer)
    return layer
  }

  /// Lets go of what it drew last, pictures of the overlay included.
  public func forget() { drawn = nil }

  /// In the daemon's time zone, to the second: as text it changes once a second, and so does the drawing.
  private func time(_ wallNanoseconds: UInt64) -> String {
    let second = wallNanoseconds / 1_000_000_000
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
