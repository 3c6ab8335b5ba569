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
  /// write 29.97 in several ways.
  ///
  /// - Parameter rate: the frames per second of the first layer's camera.
  public func pace(with rate: Rational) -> CompositionPace {
    CompositionPace(
      rate: rate.value > 0 ? min(frameRate, rate) : frameRate, isSlower: frameRate < rate && !frameRate.names(rate))
  }
}
