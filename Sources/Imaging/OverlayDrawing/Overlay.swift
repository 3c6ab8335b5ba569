internal import CaptureCore

/// Something drawn over a picture. A value.
///
/// Places and sizes are fractions of the picture as people see it, after turning, from its upper left corner.
public struct Overlay: Hashable, Sendable {
  /// One thing that is drawn.
  public enum Element: Hashable, Sendable {
    case text(Text)
    case image(Image)
    case box(Box)
  }

  /// A line of text.
  public struct Text: Hashable, Sendable {
    /// `{time}` becomes when the frame was captured.
    public var text: String
    public var x: Double
    public var y: Double
    /// Of the picture's height.
    public var height: Double
    public var color: Color
    public var background: Color?

    public init(
      _ text: String, x: Double, y: Double, height: Double = 0.05, color: Color = .white, background: Color? = nil
    ) {
      (self.text, self.x, self.y, self.height, self.color, self.background) = (text, x, y, height, color, background)
    }
  }

  /// A picture over the picture.
  public struct Image: Hashable, Sendable {
    public var picture: OverlayPicture
    public var x: Double
    public var y: Double
    /// Of the picture's width; nil draws pixel for pixel.
    public var width: Double?

    public init(_ picture: OverlayPicture, x: Double, y: Double, width: Double? = nil) {
      (self.picture, self.x, self.y, self.width) = (picture, x, y, width)
    }
  }

  /// A frame around something.
  public struct Box: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double
    public var color: Color
    /// Of the picture's height.
    public var lineWidth: Double
    /// Written above it; may be empty.
    public var label: String

    public init(
      x: Double, y: Double, width: Double, height: Double, color: Color = .green, lineWidth: Double = 0.005,
      label: String = ""
    ) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
      (self.color, self.lineWidth, self.label) = (color, lineWidth, label)
    }
  }

  /// 0xRRGGBBAA.
  public struct Color: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let white = Color(rawValue: 0xffff_ffff)
    public static let green = Color(rawValue: 0x00ff_00ff)
  }

  /// Later ones lie over earlier ones.
  public var elements: [Element]

  public init(_ elements: [Element] = []) { self.elements = elements }

  /// Whether it keeps decoded pictures in memory.
  public var hasImages: Bool { elements.contains { if case .image = $0 { true } else { false } } }

  /// The same with every `{time}` as text.
  ///
  /// - Parameter time: made only if it is needed.
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
