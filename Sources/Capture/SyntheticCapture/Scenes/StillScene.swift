public import CaptureCore
internal import SystemClocks

/// A chart of 16 × 9 patches that never changes. Tests measure noise on the flat patches, and loss of detail on the
/// stripes, checks and ramps.
public final class StillScene: Scene {
  /// The picture of the scene without noise, with which a test compares captured pictures.
  ///
  /// - Parameters:
  ///   - pixelFormat: NV12 or YUYV.
  ///   - size: the size of the picture in pixels.
  ///   - isBinned: whether the format is binned. A binned picture shows the chart of the double size; each pixel is the
  ///     rounded mean of 2 × 2 pixels of the chart.
  /// - Returns: the bytes of the packed layout, with the timecode board black and neutral; nil for other pixel formats.
  public static func truth(pixelFormat: PixelFormat, size: Size, isBinned: Bool = false) -> [UInt8]? {
    guard pixelFormat == .nv12 || pixelFormat == .yuyv, let layout = FrameLayout.packed(pixelFormat, size) else {
      return nil
    }
    let configuration = SyntheticCameraConfiguration(scene: .still, noise: 0)
    let renderer = FrameRenderer(configuration: configuration, layout: layout, isBinned: isBinned)
    return [UInt8](unsafeUninitializedCapacity: layout.byteCount) { buffer, count in
      let blank = Canvas(layout: layout, noise: nil)
      buffer.baseAddress!.initialize(from: blank.picture, count: layout.byteCount)
      renderer.expose(sequence: 0, into: buffer.baseAddress!)
      if let chroma = layout.planes.dropFirst().first {
        let lines = (TimecodeBoard.bottom(height: size.height) + 1) / 2
        (buffer.baseAddress! + chroma.offset).update(repeating: 128, count: lines * chroma.stride)
      }
      count = layout.byteCount
    }
  }

  private enum Texture: UInt64 { case flat, vertical, horizontal, checks, ramp }

  private static let columns = 16
  private static let rows = 9

  init(on canvas: Canvas) {
    // The chart begins at the top of the canvas and not of the stage, because binning may read one line above the
    // stage.
    for row in 0..<Self.rows {
      for column in 0..<Self.columns { Self.drawPatch(column, row, on: canvas) }
    }
  }

  func update(_ canvas: Canvas, sequence: UInt64, time: WallInstant) {}

  private static func drawPatch(_ column: Int, _ row: Int, on canvas: Canvas) {
    let (left, right) = (column * canvas.width / columns & ~1, (column + 1) * canvas.width / columns & ~1)
    let (top, bottom) = (row * canvas.height / rows & ~1, (row + 1) * canvas.height / rows & ~1)
    let patch = Rectangle(x: left, y: top, width: right - left, height: bottom - top)
    let random = SplitMix64.hash(UInt64(row * columns + column))
    // Each row has greys from dark to light, so that a test finds flat patches of any level. The patch's number chooses
    // the colour pseudo-randomly.
    let base = YCbCr(
      UInt8(40 + (column * 7 + row * 5) % 16 * 10), UInt8(96 + (random >> 8 & 63)), UInt8(96 + (random >> 16 & 63)))
    var other = base
    other.y = base.y > 120 ? base.y - 60 : base.y + 60
    // Stripes and checks have the same size relative to the picture at every size of the picture: 1/320 to 1/80 of its
    // width.
    let period = max(2, (canvas.width / 320) << Int((random >> 24) % 3)) & ~1
    canvas.fill(patch, base)
    switch Texture(rawValue: UInt64(column + 3 * row) % 5) ?? .flat {
    case .flat: break
    case .vertical: draw(other, in: patch, period, on: canvas) { column, _ in column % 2 == 1 }
    case .horizontal: draw(other, in: patch, period, on: canvas) { _, row in row % 2 == 1 }
    case .checks: draw(other, in: patch, period, on: canvas) { column, row in (column + row) % 2 == 1 }
    case .ramp:
      for x in stride(from: 0, to: patch.width, by: 2) {
        let level = YCbCr(UInt8(30 + 190 * x / patch.width), base.cb, base.cr)
        canvas.fill(Rectangle(x: patch.x + x, y: patch.y, width: 2, height: patch.height), level)
      }
    }
  }

  private static func draw(
    _ color: YCbCr, in patch: Rectangle, _ period: Int, on canvas: Canvas, where isDrawn: (Int, Int) -> Bool
  ) {
    for (row, y) in stride(from: 0, to: patch.height, by: period).enumerated() {
      for (column, x) in stride(from: 0, to: patch.width, by: period).enumerated() where isDrawn(column, row) {
        canvas.fill(
          Rectangle(
            x: patch.x + x, y: patch.y + y, width: min(period, patch.width - x), height: min(period, patch.height - y)),
          color)
      }
    }
  }
}
