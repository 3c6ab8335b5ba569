internal import CaptureCore

/// A list of texts, images and boxes to draw over a picture. An overlay is a value.
///
/// Positions and sizes are fractions of the picture as people see it, after turning. Positions count from the upper
/// left corner.
public struct Overlay: Hashable, Sendable {
  /// One text, image or box of an overlay.
  public enum Element: Hashable, Sendable {
    case text(Text)
    case image(Image)
    case box(Box)
  }

  /// A line of text.
  public struct Text: Hashable, Sendable {
    /// The text to draw. The drawer replaces each `{time}` by the time at which the frame was captured.
    public var text: String
    /// The left edge of the text, as a fraction of the picture's width.
    public var x: Double
    /// The upper edge of the text, as a fraction of the picture's height.
    public var y: Double
    /// The height of the line of text, as a fraction of the picture's height.
    public var height: Double
    /// The colour of the letters.
    public var color: Color
    /// The colour of the rectangle behind the text; nil draws no rectangle.
    public var background: Color?

    /// Creates a line of text whose upper left corner is at `x`, `y`.
    ///
    /// - Parameters:
    ///   - height: The height of the line, as a fraction of the picture's height.
    ///   - background: The colour of the rectangle behind the text; nil draws no rectangle.
    public init(
      _ text: String, x: Double, y: Double, height: Double = 0.05, color: Color = .white, background: Color? = nil
    ) {
      (self.text, self.x, self.y, self.height, self.color, self.background) = (text, x, y, height, color, background)
    }
  }

  /// A decoded image that is drawn over the picture.
  public struct Image: Hashable, Sendable {
    /// The decoded image to draw.
    public var picture: OverlayPicture
    /// The left edge of the image, as a fraction of the picture's width.
    public var x: Double
    /// The upper edge of the image, as a fraction of the picture's height.
    public var y: Double
    /// The width of the image, as a fraction of the picture's width; the image keeps its shape. Nil draws each pixel of
    /// the image as one pixel of the picture.
    public var width: Double?

    /// Creates an image whose upper left corner is at `x`, `y`.
    ///
    /// - Parameter width: The width of the image, as a fraction of the picture's width; nil draws pixel for pixel.
    public init(_ picture: OverlayPicture, x: Double, y: Double, width: Double? = nil) {
      (self.picture, self.x, self.y, self.width) = (picture, x, y, width)
    }
  }

  /// An empty rectangle, usually around an object in the picture, with an optional label.
  public struct Box: Hashable, Sendable {
    /// The left edge of the box, as a fraction of the picture's width.
    public var x: Double
    /// The upper edge of the box, as a fraction of the picture's height.
    public var y: Double
    /// The width of the box, as a fraction of the picture's width.
    public var width: Double
    /// The height of the box, as a fraction of the picture's height.
    public var height: Double
    /// The colour of the lines and of the label.
    public var color: Color
    /// The width of the lines, as a fraction of the picture's height. The drawer draws lines of at least one pixel.
    public var lineWidth: Double
    /// The text that the drawer writes above the box; an empty string writes none.
    public var label: String

    /// Creates a box whose upper left corner is at `x`, `y`.
    ///
    /// - Parameters:
    ///   - lineWidth: The width of the lines, as a fraction of the picture's height.
    ///   - label: The text above the box; an empty string writes none.
    public init(
      x: Double, y: Double, width: Double, height: Double, color: Color = .green, lineWidth: Double = 0.005,
      label: String = ""
    ) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
      (self.color, self.lineWidth, self.label) = (color, lineWidth, label)
    }
  }

  /// A colour with opacity.
  public struct Color: RawRepresentable, Hashable, Sendable {
    /// The colour as 0xRRGGBBAA, not multiplied by the opacity AA.
    public var rawValue: UInt32
    /// Creates a colour from 0xRRGGBBAA.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Opaque white.
    public static let white = Color(rawValue: 0xffff_ffff)
    /// Opaque green.
    public static let green = Color(rawValue: 0x00ff_00ff)
  }

  /// The elements in the order in which they are drawn: later elements lie over earlier ones.
  public var elements: [Element]

  /// Creates an overlay of `elements`; without elements the overlay draws nothing.
  public init(_ elements: [Element] = []) { self.elements = elements }

  /// Whether an element is an image, whose decoded pixels the overlay keeps in memory.
  public var hasImages: Bool { elements.contains { if case .image = $0 { true } else { false } } }

  /// Returns this overlay with each `{time}` in its texts replaced.
  ///
  /// - Parameter time: A function that makes the text of the time; it is called only when a text contains `{time}`.
  func resolved(time: () -> String) -> Overlay {
    guard elements.contains(where: { if case .text(let text) = $0 { text.text.contains("{time}") } else { false } })
    else { return self }
    let now = time()
    return Overlay(
      elements.map { element in
        guard case .text(var text) = element else { return element }
        text.text = text.text.replacing("{time}", with: now)
        return .text(text)
      })
  }
}
