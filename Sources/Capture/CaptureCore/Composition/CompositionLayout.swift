/// A picture that the daemon puts together from the pictures of several inputs.
///
/// The frames of the first layer are the clock of the composition: a composed picture has the time and the sequence
/// number of one of them. The first layer is the first in ``layers``, whatever its order.
public struct CompositionLayout: Hashable, Sendable {
  /// The greatest number of layers.
  public static let maximumLayers = 8
  /// The most frames of one input that a composition holds. The input's camera must have memory for these besides the
  /// frames that others hold.
  public static let maximumHeldFrames = 5
  /// The greatest width and height of a composed picture, in pixels.
  public static let maximumSide = 8192
  /// The fewest and the most composed pictures a second. A slower one would count as stalled between two pictures.
  public static let rates = Rational(1, 100)...Rational(240, 1)

  /// The size of the composed pictures.
  public var size: Size
  /// The wanted pictures a second. When the first layer brings frames at a lower rate, there is one picture for each of
  /// its frames.
  public var frameRate: Rational
  /// The layers. Their places in this list and their `order` are independent of each other.
  public var layers: [CompositionLayer]

  /// Creates a layout.
  ///
  /// - Parameter frameRate: the wanted pictures a second.
  public init(size: Size, frameRate: Rational, layers: [CompositionLayer]) {
    self.size = size
    self.frameRate = frameRate
    self.layers = layers
  }

  /// The format of the composed pictures of a stream: NV12, at most at the rate of the first layer, in the colours of
  /// the first layer, so that the picture that is usually the largest needs no conversion of colours. Layers with other
  /// colours are converted to these. When the layers change, the rate follows, and size and colours stay.
  ///
  /// - Parameter first: the format in which the first layer's camera delivers its frames.
  public func format(withFirstLayer first: StreamFormat) -> StreamFormat {
    let colors: (range: FrameLayout.Range, matrix: FrameLayout.Matrix) =
      if first.layout.pixelFormat.isJPEG {
        (.full, .bt601)
      } else if !first.layout.pixelFormat.isYCbCr {
        (.limited, .bt601)
      } else if first.layout.isHighDynamicRange {
        (.limited, .bt709)
      } else { (first.layout.range, first.layout.matrix) }
    // NV12 is what H.264, movies and raw previews take as it is. JPEG is made of it in strips.
    let layout = FrameLayout.packed(.nv12, size, range: colors.range, matrix: colors.matrix)!
    return StreamFormat(devicePixelFormat: .nv12, layout: layout, frameRate: pace(with: first.frameRate).rate)
  }
}
