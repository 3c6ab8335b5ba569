import CaptureCore
import Testing

/// What a layout of a composition means, and what is wrong with it.
@Suite struct CompositionLayoutTests {
  static let size = Size(width: 640, height: 360)

  private func layer(
    _ input: String, _ x: Int, _ y: Int, _ width: Int, _ height: Int, radius: Int = 0
  ) -> CompositionLayer {
    CompositionLayer(
      input: input, rectangle: .init(x: x, y: y, size: Size(width: width, height: height)), cornerRadius: radius)
  }

  private func fields(_ layout: CompositionLayout, _ inputs: Set<String> = ["front", "back"]) -> [String] {
    layout.problems(at: "inputs[2].composition", inputs: inputs).compactMap {
      $0.field?.replacing("inputs[2].composition.", with: "")
    }
  }

  @Test func aPictureInPictureHasNoProblems() {
    let layers = [layer("back", 0, 0, 640, 360), layer("front", 479, 269, 161, 91, radius: 9000)]
    #expect(fields(CompositionLayout(size: Self.size, frameRate: Rational(30, 1), layers: layers)) == [])
  }

  @Test func anInputMayHaveSeveralLayers() {
    let layers = [layer("back", 0, 0, 640, 360), layer("back", 0, 0, 2, 2)]
    #expect(fields(CompositionLayout(size: Self.size, frameRate: Rational(30, 1), layers: layers)) == [])
  }

  /// A client learns of everything that is wrong by one call.
  @Test func everyProblemIsNamed() {
    let layers = [
      layer("side", 0, 0, 640, 360), layer("back", 600, 300, 41, 61, radius: -1), layer("front", -2, 0, 0, 10),
      layer("front", .max, .max, .max, .max),
    ]
    let layout = CompositionLayout(size: Size(width: 0, height: 361), frameRate: Rational(0, 1), layers: layers)
    #expect(
      fields(layout) == [
        "width", "height", "frame_rate", "layers[0].input", "layers[0].rect", "layers[1].rect",
        "layers[1].corner_radius", "layers[2].rect", "layers[3].rect",
      ])
    #expect(layout.problems(at: "x", inputs: []).allSatisfy { $0.reason == .invalidArgument && $0.message.last == "." })
  }

  @Test func layersAreOneToEight() {
    func layout(_ count: Int) -> CompositionLayout {
      let layers = [CompositionLayer](repeating: layer("back", 0, 0, 64, 36), count: count)
      return CompositionLayout(size: Self.size, frameRate: Rational(30, 1), layers: layers)
    }
    #expect(fields(layout(0)) == ["layers"])
    #expect(fields(layout(1)) == [])
    #expect(fields(layout(8)) == [])
    #expect(fields(layout(9)) == ["layers"])
  }

  @Test func ratesHaveLimits() {
    func layout(_ rate: Rational) -> CompositionLayout {
      CompositionLayout(size: Self.size, frameRate: rate, layers: [layer("back", 0, 0, 64, 36)])
    }
    #expect(fields(layout(Rational(240, 1))) == [])
    #expect(fields(layout(Rational(241, 1))) == ["frame_rate"])
    #expect(fields(layout(Rational(1, 100))) == [])
    #expect(fields(layout(Rational(1, 101))) == ["frame_rate"])
    #expect(fields(layout(Rational(30, 0))) == ["frame_rate"])
  }

  /// Two by two pixels share their chroma.
  @Test func rectanglesGrowToWholePairsOfPixels() {
    func aligned(_ x: Int, _ y: Int, _ width: Int, _ height: Int, in whole: Size) -> [Int] {
      let found = CompositionLayer.Rectangle(x: x, y: y, size: Size(width: width, height: height)).aligned(in: whole)
      return [found.x, found.y, found.size.width, found.size.height]
    }
    #expect(aligned(5, 7, 1, 1, in: Self.size) == [4, 6, 2, 2])
    #expect(aligned(4, 6, 2, 2, in: Self.size) == [4, 6, 2, 2])
    #expect(aligned(5, 7, 2, 2, in: Self.size) == [4, 6, 4, 4])
    #expect(aligned(0, 0, 641, 361, in: Size(width: 641, height: 361)) == [0, 0, 641, 361])
    #expect(aligned(639, 359, 2, 2, in: Size(width: 641, height: 361)) == [638, 358, 3, 3])
  }

  /// The largest picture needs no conversion of colours.
  @Test func theFormatHasTheColoursOfTheFirstLayer() {
    func format(_ pixelFormat: PixelFormat, _ range: FrameLayout.Range, _ matrix: FrameLayout.Matrix) -> FrameLayout {
      let from = FrameLayout.packed(pixelFormat, Self.size, range: range, matrix: matrix)!
      let first = StreamFormat(devicePixelFormat: pixelFormat, layout: from, frameRate: Rational(30, 1))
      let layout = CompositionLayout(size: Self.size, frameRate: Rational(30, 1), layers: [])
      return layout.format(withFirstLayer: first).layout
    }
    #expect(format(.yuyv, .full, .bt709) == .packed(.nv12, Self.size, range: .full, matrix: .bt709))
    #expect(format(.mjpeg, .limited, .bt601) == .packed(.nv12, Self.size, range: .full, matrix: .bt601))
    #expect(format(.bgr24, .full, .bt709) == .packed(.nv12, Self.size, range: .limited, matrix: .bt601))
    #expect(format(.p010, .full, .bt2020) == .packed(.nv12, Self.size, range: .limited, matrix: .bt709))
  }

  @Test func theRateIsAtMostThatOfTheFirstLayer() {
    func rate(_ wanted: Rational, _ given: Rational) -> Rational {
      let first = StreamFormat(
        devicePixelFormat: .nv12, layout: .packed(.nv12, Self.size)!, frameRate: given)
      return CompositionLayout(size: Self.size, frameRate: wanted, layers: []).format(withFirstLayer: first).frameRate
    }
    #expect(rate(Rational(15, 1), Rational(30, 1)) == Rational(15, 1))
    #expect(rate(Rational(60, 1), Rational(30, 1)) == Rational(30, 1))
    #expect(rate(Rational(60, 1), Rational(0, 0)) == Rational(60, 1))
  }

  /// A composition leaves frames out of a camera that is faster, or may be.
  @Test func framesOfAFasterCameraAreLeftOut() {
    let layout = CompositionLayout(size: Self.size, frameRate: Rational(30, 1), layers: [])
    #expect(!layout.pace(with: Rational(15, 1)).isSlower && !layout.pace(with: Rational(30_000, 1001)).isSlower)
    #expect(!layout.pace(with: Rational(30_200, 1000)).isSlower, "a difference of less than 1 %")
    #expect(layout.pace(with: Rational(60, 1)).isSlower)
    #expect(layout.pace(with: Rational(0, 0)).isSlower, "an unknown rate")
  }
}
