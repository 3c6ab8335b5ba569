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

extension CompositionLayout {
  /// Finds everything that makes the layout impossible. Each error names the field by its path.
  ///
  /// - Parameters:
  ///   - path: the path of the composition in the request, such as `configuration.inputs[2].composition`.
  ///   - inputs: the ids of the session's cameras, which a layer may show.
  /// - Returns: no errors for a layout that can be composed.
  public func problems(at path: String, inputs: Set<String>) -> [CaptureError] {
    var problems: [CaptureError] = []
    func add(_ field: String, _ message: String) {
      problems.append(CaptureError(.invalidArgument, message, field: "\(path).\(field)"))
    }
    for (field, side) in [("width", size.width), ("height", size.height)]
    where !(2...Self.maximumSide).contains(side) || side % 2 != 0 {
      add(field, "The \(field) of a composition must be an even number from 2 to \(Self.maximumSide), not \(side).")
    }
    if frameRate.value == 0 || !Self.rates.contains(frameRate) {
      add("frame_rate", "A composition has from 1/100 to 240 pictures a second, not \(frameRate).")
    }
    if layers.isEmpty { add("layers", "A composition needs a layer, whose frames are its clock; add one.") }
    if layers.count > Self.maximumLayers {
      add("layers", "A composition has at most \(Self.maximumLayers) layers, not \(layers.count); leave some out.")
    }
    for (index, layer) in layers.enumerated() {
      if !inputs.contains(layer.input) {
        let known = inputs.sorted().joined(separator: ", ")
        add(
          "layers[\(index)].input",
          "A layer shows a camera of the session, and \(layer.input.isEmpty ? "the empty id" : layer.input) is none; "
            + "the cameras are: \(known.isEmpty ? "none" : known).")
      }
      let (rectangle, shown) = (layer.rectangle, layer.rectangle.size)
      if !rectangle.lies(in: size) {
        add(
          "layers[\(index)].rect",
          "The rectangle of \(shown) at \(rectangle.x), \(rectangle.y) must have an area and lie within the picture "
            + "of \(size).")
      }
      if layer.cornerRadius < 0 {
        add("layers[\(index)].corner_radius", "The radius of corners must be 0 or more, not \(layer.cornerRadius).")
      }
    }
    return problems
  }
}

/// How many pictures a composition makes of the frames of its first layer. A value.
public struct CompositionPace: Hashable, Sendable {
  /// Pictures a second, above 0.
  public var rate: Rational
  /// Whether the first layer's camera is faster, so that not each of its frames makes a picture. The frames of any
  /// other camera make a picture each, because jitter, or a clock that is a little fast, must lose none.
  public var isSlower: Bool

  /// Creates a pace.
  public init(rate: Rational, isSlower: Bool) {
    self.rate = rate
    self.isSlower = isSlower
  }
}

extension CompositionLayout {
  /// The pace beside a first layer's camera: at most the camera's rate. A difference of 1 % is none, because drivers
  /// write 29.97 in several ways. A camera of an unknown rate counts as faster, so that the composition makes at most
  /// the pictures that were asked for.
  ///
  /// - Parameter rate: the frames per second of the first layer's camera; 0 when they are not known.
  public func pace(with rate: Rational) -> CompositionPace {
    guard rate.value > 0 else { return CompositionPace(rate: frameRate, isSlower: true) }
    return CompositionPace(rate: min(frameRate, rate), isSlower: frameRate < rate && !frameRate.names(rate))
  }
}

extension CaptureError {
  /// The `deviceNotResponding` error for a composition whose first layer brings no frames.
  ///
  /// - Parameters:
  ///   - composition: the id of the composition's input.
  ///   - input: the id of the first layer's input.
  ///   - nanoseconds: how long no whole picture has come.
  ///   - damaged: how many damaged pictures came in that time.
  public static func stalled(
    composition: String, input: String, silence nanoseconds: UInt64, damaged: UInt64 = 0
  ) -> CaptureError {
    let seconds = Seconds.tenths(nanoseconds)
    var metadata = ["device": composition, "input": input, "silent_seconds": seconds]
    if damaged > 0 { metadata["damaged_pictures"] = "\(damaged)" }
    let brought = damaged > 0 ? "nothing but damaged pictures (\(damaged))" : "no picture"
    return CaptureError(
      .deviceNotResponding,
      "\(input), the first layer of the composition \(composition), brought \(brought) for \(seconds) s; the "
        + "composition goes on when an intact one comes. Until then, let another input be the first layer.",
      metadata: metadata)
  }
}
