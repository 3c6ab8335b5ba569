/// One input of a composition, and where the composed picture shows it. The input's whole picture fills the rectangle,
/// whatever the shape of the rectangle.
public struct CompositionLayer: Hashable, Sendable {
  /// A rectangle of the composed picture, in pixels from the upper left corner.
  public struct Rectangle: Hashable, Sendable {
    /// The column of the left edge.
    public var x: Int
    /// The line of the upper edge.
    public var y: Int
    /// The width and height.
    public var size: Size

    /// Creates a rectangle whose upper left corner is at `x`, `y`.
    public init(x: Int, y: Int, size: Size) {
      (self.x, self.y, self.size) = (x, y, size)
    }

    /// Whether the rectangle has an area, and all of it lies within a picture of size `whole`.
    public func lies(in whole: Size) -> Bool {
      // A comparison of sums could overflow, because a client may send any number.
      size.width > 0 && size.height > 0 && x >= 0 && y >= 0 && size.width <= whole.width
        && size.height <= whole.height && x <= whole.width - size.width && y <= whole.height - size.height
    }

    /// The smallest rectangle around this one that begins and ends at even columns and lines, or at the edges of a
    /// picture of size `whole`. Two by two pixels of 4:2:0 share their chroma, so a layer takes all of them or none.
    ///
    /// The rectangle must lie in `whole`.
    public func aligned(in whole: Size) -> Rectangle {
      let (left, top) = (x & ~1, y & ~1)
      let right = min(whole.width, (x + size.width + 1) & ~1)
      let bottom = min(whole.height, (y + size.height + 1) & ~1)
      return Rectangle(x: left, y: top, size: Size(width: right - left, height: bottom - top))
    }

    /// Whether every pixel of `other` is also a pixel of this rectangle.
    public func contains(_ other: Rectangle) -> Bool {
      x <= other.x && y <= other.y && other.x + other.size.width <= x + size.width
        && other.y + other.size.height <= y + size.height
    }
  }

  /// The id of the session's input that the layer shows. Several layers may show the same input.
  public var input: String
  /// Where the composed picture shows the layer.
  public var rectangle: Rectangle
  /// Layers of a higher order lie over those of a lower one; of two layers of the same order, the later in the list
  /// lies over the earlier.
  public var order: Int
  /// Whether left and right of the input's picture are exchanged.
  public var isMirrored: Bool
  /// The radius of the corners in pixels of the composed picture; 0 for sharp corners. A radius of more than half the
  /// shorter side counts as half of it.
  public var cornerRadius: Int

  /// Creates a layer. By default, it is not mirrored and has sharp corners.
  public init(input: String, rectangle: Rectangle, order: Int = 0, isMirrored: Bool = false, cornerRadius: Int = 0) {
    self.input = input
    self.rectangle = rectangle
    self.order = order
    self.isMirrored = isMirrored
    self.cornerRadius = cornerRadius
  }
}

/// Describes what one layer of a composed picture shows.
public struct ComposedLayer: Hashable, Sendable {
  /// A frame, as its camera names it.
  public struct Source: Hashable, Sendable {
    /// The camera's stream.
    public var streamID: UInt64
    /// The camera's number of the frame in its stream.
    public var sequence: UInt64
    /// When the camera captured the frame.
    public var time: FrameTime

    /// Creates the name of a frame.
    public init(streamID: UInt64, sequence: UInt64, time: FrameTime) {
      self.streamID = streamID
      self.sequence = sequence
      self.time = time
    }
  }

  /// The id of the session's input that the layer shows.
  public var input: String
  /// The frame that the layer shows; nil when the layer shows nothing, because its input has brought no frame yet.
  public var source: Source?
  /// Whether the input had no frame near enough to the time of the picture, so that the layer shows an earlier frame or
  /// nothing.
  public var isStale: Bool

  /// Creates the description of a layer.
  ///
  /// - Parameter frame: the frame that the layer shows; nil for nothing.
  public init(input: String, frame: Frame?, isStale: Bool) {
    self.input = input
    source = frame.map { Source(streamID: $0.streamID, sequence: $0.sequence, time: $0.time) }
    self.isStale = isStale
  }
}
