internal import SystemClocks

/// The content of the picture below the timecode board.
protocol Scene: AnyObject {
  /// Draws what changed since the last call. The canvas afterwards depends only on the arguments and not on earlier
  /// calls.
  ///
  /// - Parameters:
  ///   - sequence: the sequence number of the frame.
  ///   - time: the instant of the frame.
  func update(_ canvas: Canvas, sequence: UInt64, time: WallInstant)
}

extension SyntheticCameraConfiguration.Scene {
  /// Makes the scene and draws its background on a fresh canvas.
  func make(on canvas: Canvas) -> any Scene {
    switch self {
    case .lightboard: LightboardScene(on: canvas)
    case .still: StillScene(on: canvas)
    case .bars: BarsScene(on: canvas)
    }
  }
}

extension Canvas {
  /// The area below the timecode board. It begins at an even line, so that it consists of whole chroma samples.
  var stage: Rectangle {
    let top = (TimecodeBoard.bottom(height: height) + 1) & ~1
    return Rectangle(x: 0, y: top, width: width, height: height - top)
  }
}
