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

/// Eight vertical colour bars of equal width.
public final class BarsScene: Scene {
  /// The colours of the bars from left to right: white, yellow, cyan, green, magenta, red, blue, black. They are the 75
  /// % bars of SMPTE EG 1 in 8-bit BT.601.
  ///
  /// Bar i spans columns i · width / 8 up to (i + 1) · width / 8, the end excluded.
  public static let colors = [
    YCbCr(180, 128, 128), YCbCr(162, 44, 142), YCbCr(131, 156, 44), YCbCr(112, 72, 58),
    YCbCr(84, 184, 198), YCbCr(65, 100, 212), YCbCr(35, 212, 114), YCbCr(16, 128, 128),
  ]

  init(on canvas: Canvas) {
    for (index, color) in Self.colors.enumerated() {
      let (left, right) = (index * canvas.width / 8, (index + 1) * canvas.width / 8)
      // The bars begin at the top of the canvas and not of the stage, because binning may read one line above the
      // stage.
      canvas.fill(Rectangle(x: left, y: 0, width: right - left, height: canvas.height), color)
    }
  }

  func update(_ canvas: Canvas, sequence: UInt64, time: WallInstant) {}
}
