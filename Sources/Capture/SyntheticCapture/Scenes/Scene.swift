/// Something to look at, drawn below the timecode board.
protocol Scene: AnyObject {
  /// Draws what changed since the last call. What the canvas shows afterwards depends on the arguments alone.
  func update(_ canvas: Canvas, sequence: UInt64, wallNanoseconds: UInt64)
}

extension SyntheticCameraConfiguration.Scene {
  /// Draws the scene's background on a fresh canvas.
  func make(on canvas: Canvas) -> any Scene {
    switch self {
    case .lightboard: LightboardScene(on: canvas)
    case .still: StillScene(on: canvas)
    case .bars: BarsScene(on: canvas)
    }
  }
}

extension Canvas {
  /// The area below the board, in whole chroma samples.
  var stage: Rectangle {
    let top = (TimecodeBoard.bottom(height: height) + 1) & ~1
    return Rectangle(x: 0, y: top, width: width, height: height - top)
  }
}
