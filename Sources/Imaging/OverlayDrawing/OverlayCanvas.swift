internal import CCairo
internal import CaptureCore

/// Draws overlays with cairo into pixels that the canvas owns. Thread-bound: only one thread may use an instance.
final class OverlayCanvas {
  private var surface: OpaquePointer?
  private var size = Size(width: 0, height: 0)

  deinit { if let surface { cairo_surface_destroy(surface) } }

  /// The visible part of a drawing: rows of pixels of B, G, R, A, whose colours are multiplied by A. The pixels are
  /// valid until the next call of the canvas.
  struct Drawing {
    var pixels: UnsafePointer<UInt8>
    var stride: Int
    /// The left edge of the smallest rectangle that holds every pixel that is not transparent. `left`, `top` and both
    /// sides of `size` are even.
    var left: Int
    var top: Int
    var size: Size
  }

  /// Draws `overlay` for a picture of `size` that will be turned by `orientation` after the overlay is drawn over it.
  ///
  /// - Returns: The drawing, valid until the next call; nil when every pixel is transparent or cairo finds no memory.
  func draw(_ overlay: Overlay, over size: Size, _ orientation: Orientation) -> Drawing? {
    if self.size != size {
      if let surface { cairo_surface_destroy(surface) }
      // Both sides are rounded up to even numbers, because two by two pixels of the picture share their chroma.
      surface = cairo_image_surface_create(
        CAIRO_FORMAT_ARGB32, Int32((size.width + 1) & ~1), Int32((size.height + 1) & ~1))
      self.size = size
    }
    guard let surface, let context = cairo_create(surface) else { return nil }
    defer { cairo_destroy(context) }
    cairo_set_operator(context, CAIRO_OPERATOR_CLEAR)
    cairo_paint(context)
    cairo_set_operator(context, CAIRO_OPERATOR_OVER)
    var matrix = Self.matrix(size, orientation)
    cairo_transform(context, &matrix)
    let shown = orientation.turned(size)
    for element in overlay.elements {
      switch element {
      case .text(let text):
        draw(
          text.text, at: (text.x * Double(shown.width), text.y * Double(shown.height)),
          height: text.height * Double(shown.height), text.color, text.background, context)
      case .image(let image): draw(image, shown, context)
      case .box(let box): draw(box, shown, context)
      }
    }
    cairo_surface_flush(surface)
    guard let pixels = cairo_image_surface_get_data(surface) else { return nil }
    let stride = cairo_image_surface_get_stride(surface)
    var (left, top, right, bottom): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    guard
      CCairo_bounds(
        pixels, cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), stride, &left, &top,
        &right, &bottom) != 0
    else { return nil }
    return Drawing(
      pixels: UnsafePointer(pixels) + Int(top * stride + left * 4), stride: Int(stride), left: Int(left), top: Int(top),
      size: Size(width: Int(right - left), height: Int(bottom - top)))
  }

  /// The matrix that maps a position in the picture as people see it to the position in the picture of `size` before
  /// that is turned.
  static func matrix(_ size: Size, _ orientation: Orientation) -> cairo_matrix_t {
    let (w, h) = (Double(size.width), Double(size.height))
    var matrix =
      switch orientation.rotation {
      case .none: cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: 1, x0: 0, y0: 0)
      case .quarter: cairo_matrix_t(xx: 0, yx: -1, xy: 1, yy: 0, x0: 0, y0: h)
      case .half: cairo_matrix_t(xx: -1, yx: 0, xy: 0, yy: -1, x0: w, y0: h)
      case .threeQuarters: cairo_matrix_t(xx: 0, yx: 1, xy: -1, yy: 0, x0: w, y0: 0)
      }
    if orientation.isMirrored {
      let shown = orientation.turned(size)
      var mirror = cairo_matrix_t(xx: -1, yx: 0, xy: 0, yy: 1, x0: Double(shown.width), y0: 0)
      var turned = matrix
      cairo_matrix_multiply(&matrix, &mirror, &turned)
    }
    return matrix
  }

  private func draw(
    _ text: String, at place: (x: Double, y: Double), height: Double, _ color: Overlay.Color,
    _ background: Overlay.Color?, _ context: OpaquePointer
  ) {
    cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    cairo_set_font_size(context, height)
    var font = cairo_font_extents_t()
    cairo_font_extents(context, &font)
    guard font.ascent + font.descent > 0 else { return }
    // `height` is the height of the whole line, so that text in any font fits where the client placed it.
    cairo_set_font_size(context, height * height / (font.ascent + font.descent))
    cairo_font_extents(context, &font)
    if let background {
      var extents = cairo_text_extents_t()
      cairo_text_extents(context, text, &extents)
      set(background, context)
      cairo_rectangle(context, place.x, place.y, extents.x_advance, height)
      cairo_fill(context)
    }
    set(color, context)
    cairo_move_to(context, place.x, place.y + font.ascent)
    cairo_show_text(context, text)
  }

  private func draw(_ image: Overlay.Image, _ shown: Size, _ context: OpaquePointer) {
    let scale = image.width.map { $0 * Double(shown.width) / Double(image.picture.size.width) } ?? 1
    guard scale > 0 else { return }
    cairo_save(context)
    cairo_translate(context, image.x * Double(shown.width), image.y * Double(shown.height))
    cairo_scale(context, scale, scale)
    cairo_set_source_surface(context, image.picture.surface, 0, 0)
    // Without padding, cairo would fade out the edges of an image that it enlarges.
    cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
    let size = image.picture.size
    cairo_rectangle(context, 0, 0, Double(size.width), Double(size.height))
    cairo_fill(context)
    cairo_restore(context)
  }

  private func draw(_ box: Overlay.Box, _ shown: Size, _ context: OpaquePointer) {
    let (width, height) = (Double(shown.width), Double(shown.height))
    let line = max(1, box.lineWidth * height)
    set(box.color, context)
    cairo_set_line_width(context, line)
    cairo_rectangle(context, box.x * width, box.y * height, box.width * width, box.height * height)
    cairo_stroke(context)
    guard !box.label.isEmpty else { return }
    let labelHeight = max(8, 0.04 * height)
    draw(
      box.label, at: (box.x * width, box.y * height - line / 2 - labelHeight), height: labelHeight, box.color, nil,
      context)
  }

  private func set(_ color: Overlay.Color, _ context: OpaquePointer) {
    func part(_ shift: UInt32) -> Double { Double(color.rawValue >> shift & 0xff) / 255 }
    cairo_set_source_rgba(context, part(24), part(16), part(8), part(0))
  }
}
