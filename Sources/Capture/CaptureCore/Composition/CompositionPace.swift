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
