internal import CYUV
internal import CaptureCore

/// A drawing as luma, chroma and opacity, which is blended into picture after picture.
public final class OverlayLayer: @unchecked Sendable {
  // `@unchecked` because of the pointers: no code changes the memory after the initialiser.

  /// The properties that a picture must have for a layer to fit.
  struct Fit: Equatable {
    var size: Size
    var orientation: Orientation
    var range: FrameLayout.Range
    var matrix: FrameLayout.Matrix

    init(_ layout: FrameLayout, _ orientation: Orientation) {
      (size, range, matrix) = (layout.size, layout.range, layout.matrix)
      self.orientation = orientation
    }
  }

  let fit: Fit
  private let share: ImageMemory.Share
  private let (left, top): (Int, Int)
  private let size: Size
  private let memory: UnsafeMutablePointer<UInt8>
  private let (y, u, v, alpha):
    (
      UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>
    )

  /// Converts `drawing` to a layer.
  ///
  /// - Parameters:
  ///   - fit: The properties of the pictures that the layer will be blended into.
  ///   - budget: The budget from which the layer takes its memory.
  /// - Throws: `outOfBuffers` when the budget is used up.
  init(_ drawing: OverlayCanvas.Drawing, _ fit: Fit, _ budget: ImageMemory) throws(CaptureError) {
    share = try budget.take(bytes: drawing.size.pixelCount * 5 / 2)
    self.fit = fit
    (left, top, size) = (drawing.left, drawing.top, drawing.size)
    let count = size.pixelCount
    memory = .allocate(capacity: 2 * count + count / 2)
    (y, alpha) = (memory, memory + count)
    u = memory + 2 * count
    v = u + count / 4
    let plain = UnsafeMutablePointer<UInt8>.allocate(capacity: 4 * count)
    defer { plain.deallocate() }
    let (width, height) = (Int32(size.width), Int32(size.height))
    ARGBUnattenuate(drawing.pixels, Int32(drawing.stride), plain, 4 * width, width, height)
    ARGBExtractAlpha(plain, 4 * width, alpha, width, width, height)
    var weights = Self.weights(fit.range, fit.matrix)
    cyuv_from_pixels(&weights, plain, size.width, size.height, y, u, v)
  }

  deinit { memory.deallocate() }

  /// Blends the layer into a planar 4:2:0 picture of the size that the layer was drawn for.
  ///
  /// - Parameter base: The start of the picture's memory.
  func blend(into layout: FrameLayout, _ base: UnsafeMutablePointer<UInt8>) {
    // The canvas draws on whole pairs of pixels. When a side of the picture is odd, the layer may reach one column or
    // line beyond the picture, which is cut off here.
    let (width, height) = (min(size.width, layout.size.width - left), min(size.height, layout.size.height - top))
    guard width > 0, height > 0 else { return }
    func place(_ plane: Int, _ divisor: Int) -> UnsafeMutablePointer<UInt8> {
      base + layout.planes[plane].offset + top / divisor * layout.planes[plane].stride + left / divisor
    }
    let (luma, cb, cr) = (place(0, 1), place(1, 2), place(2, 2))
    let strides = layout.planes.map { Int32($0.stride) }
    let (step, half) = (Int32(size.width), Int32(size.width / 2))
    I420Blend(
      y, step, u, half, v, half, luma, strides[0], cb, strides[1], cr, strides[2], alpha, step, luma, strides[0], cb,
      strides[1], cr, strides[2], Int32(width), Int32(height))
  }

  /// The factors from R, G, B to luma and chroma in `matrix` and `range`, in units of 1/32768.
  ///
  /// The factors follow from the weights of red and blue in BT.601 and BT.709. Painted pictures are never in BT.2020,
  /// because ``OverlayPainter`` maps pictures of high dynamic range to BT.709.
  private static func weights(_ range: FrameLayout.Range, _ matrix: FrameLayout.Matrix) -> cyuv_weights {
    let (kr, kb) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
    let kg = 1 - kr - kb
    let (luma, chroma) = range == .full ? (1, 1) : (219.0 / 255, 224.0 / 255)
    func fixed(_ value: Double) -> Int32 { Int32((value * 32768).rounded()) }
    return cyuv_weights(
      y_offset: range == .full ? 0 : 16, y_red: fixed(kr * luma), y_green: fixed(kg * luma), y_blue: fixed(kb * luma),
      u_red: fixed(-kr / (2 * (1 - kb)) * chroma), u_green: fixed(-kg / (2 * (1 - kb)) * chroma),
      u_blue: fixed(0.5 * chroma), v_red: fixed(0.5 * chroma), v_green: fixed(-kg / (2 * (1 - kr)) * chroma),
      v_blue: fixed(-kb / (2 * (1 - kr)) * chroma))
  }
}
