internal import CYUV
public import CaptureCore
internal import Foundation
public import Imaging

/// Draws overlays over pictures. Thread-bound: it keeps what it drew last, for the next picture.
public final class OverlayPainter {
  private struct Key: Equatable {
    var overlay: Overlay
    var size: Size
    var orientation: Orientation
    var range: FrameLayout.Range
    var matrix: FrameLayout.Matrix
  }

  private let converter: PictureConverter
  private let canvas = OverlayCanvas()
  private var drawn: (key: Key, layer: OverlayLayer?)?
  private var newestTime: (second: UInt64, text: String)?

  /// - Parameter pool: where painted pictures get their memory.
  public init(pool: FramePool) { converter = PictureConverter(pool: pool) }

  /// A picture like `picture`, in planar 4:2:0 and as screens show it, with `overlay` over it.
  ///
  /// - Parameters:
  ///   - range: of the result; nil leaves it as it is.
  ///   - orientation: how the result will be turned: what is drawn is upright after that.
  ///   - wallNanoseconds: when it was captured, for `{time}`.
  /// - Throws: as ``PictureConverter/convert(_:to:size:orientation:range:finish:)``.
  public func paint(
    _ overlay: Overlay, over picture: Picture, range: FrameLayout.Range? = nil, orientation: Orientation,
    wallNanoseconds: UInt64
  ) throws(CaptureError) -> Picture {
    let overlay = overlay.resolved { time(wallNanoseconds) }
    return try converter.convert(picture, to: .yuv420, range: range, mapsTones: true) { [self] layout, memory in
      layer(
        Key(
          overlay: overlay, size: layout.size, orientation: orientation, range: layout.range, matrix: layout.matrix))?
        .blend(into: layout, memory)
    }
  }

  /// Lets go of what it drew last, pictures of the overlay included.
  public func forget() { drawn = nil }

  private func layer(_ key: Key) -> OverlayLayer? {
    if let drawn, drawn.key == key { return drawn.layer }
    let drawing = canvas.draw(key.overlay, over: key.size, key.orientation)
    let layer = drawing.map { OverlayLayer($0, range: key.range, matrix: key.matrix) }
    drawn = (key, layer)
    return layer
  }

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
