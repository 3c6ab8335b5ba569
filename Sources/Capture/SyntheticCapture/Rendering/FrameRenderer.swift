internal import CaptureCore

/// Makes the pictures of one stream: scene, noise, binning, board. Belongs to one thread.
///
/// A picture depends on nothing but the configuration, the settings, the format, the sequence number and the instant.
final class FrameRenderer {
  private let layout: FrameLayout
  private let isBinned: Bool
  private let noise: SensorNoise?
  private var settings: SensorSettings
  /// Of the sensor's size: twice the picture's when binned.
  private var canvas: Canvas
  private var scene: any Scene
  private let board: TimecodeBoard
  /// Two lines of the sensor on their way to binning.
  private var scratch: [UInt8]
  /// With high dynamic range, which the picture is made into at the end.
  private let wide: WidePicture?

  /// Draws what never moves, once.
  ///
  /// - Parameters:
  ///   - settings: nil are those of a camera nobody has touched.
  ///   - camera: the number that the board shows.
  ///   - layout: packed NV12, YUYV or P010.
  init(
    configuration: SyntheticCameraConfiguration, settings: SensorSettings? = nil, camera: UInt32 = 0,
    layout: FrameLayout, isBinned: Bool
  ) {
    let settings = settings ?? SensorSettings(scene: configuration.scene)
    self.settings = settings
    wide = layout.pixelFormat == .p010 ? WidePicture(layout) : nil
    let layout = wide?.plain ?? layout
    self.layout = layout
    self.isBinned = isBinned
    noise = configuration.noise > 0 ? SensorNoise(level: configuration.noise, seed: configuration.seed) : nil
    let scale = isBinned ? 2 : 1
    let sensor = Size(width: layout.size.width * scale, height: layout.size.height * scale)
    canvas = Canvas(
      layout: .packed(layout.pixelFormat, sensor) ?? layout, noise: noise, response: SensorResponse(settings))
    scene = settings.scene.make(on: canvas)
    board = TimecodeBoard(layout: layout, camera: camera)
    scratch = isBinned ? Array(repeating: 0, count: 2 * canvas.layout.planes[0].stride) : []
  }

  /// Takes the next pictures with other settings; the same ones cost nothing.
  func apply(_ settings: SensorSettings) {
    guard settings != self.settings else { return }
    self.settings = settings
    canvas = Canvas(layout: canvas.layout, noise: noise, response: SensorResponse(settings))
    scene = settings.scene.make(on: canvas)
  }

  /// Renders a whole picture, board included.
  ///
  /// - Parameters:
  ///   - brightness: of everything but the board, above 0 to 1.
  ///   - memory: as many bytes as the layout has.
  func render(sequence: UInt64, wallNanoseconds: UInt64, brightness: Double = 1, into memory: UnsafeMutableRawPointer) {
    let output = wide?.picture ?? memory.assumingMemoryBound(to: UInt8.self)
    scene.update(canvas, sequence: sequence, wallNanoseconds: wallNanoseconds)
    expose(sequence: sequence, into: output)
    if brightness < 1 { Underexposure(brightness: brightness).apply(to: output, layout) }
    board.draw(sequence: sequence, wallNanoseconds: wallNanoseconds, into: output)
    wide?.write(to: memory)
  }

  /// Reads the sensor out: every line but those that the board covers.
  func expose(sequence: UInt64, into output: UnsafeMutablePointer<UInt8>) {
    let bottom = TimecodeBoard.bottom(height: layout.size.height)
    var firstLine = 0
    for (index, plane) in layout.planes.enumerated() {
      for row in (index == 0 ? bottom : bottom / 2)..<plane.rows {
        let line = output + plane.offset + row * plane.stride
        if isBinned {
          bin(row, ofPlane: index, firstLine: firstLine, sequence: sequence, count: plane.stride, into: line)
        } else {
          expose(row, ofPlane: index, firstLine: firstLine, sequence: sequence, into: line)
        }
      }
      firstLine += canvas.layout.planes[index].rows
    }
  }

  private func bin(
    _ row: Int, ofPlane index: Int, firstLine: Int, sequence: UInt64, count: Int, into line: UnsafeMutablePointer<UInt8>
  ) {
    let stride = canvas.layout.planes[index].stride
    scratch.withUnsafeMutableBufferPointer { buffer in
      let (upper, lower) = (buffer.baseAddress!, buffer.baseAddress! + stride)
      expose(2 * row, ofPlane: index, firstLine: firstLine, sequence: sequence, into: upper)
      expose(2 * row + 1, ofPlane: index, firstLine: firstLine, sequence: sequence, into: lower)
      Binning.combine(upper, lower, pixelFormat: layout.pixelFormat, plane: index, count: count, into: line)
    }
  }

  /// One line of the sensor.
  private func expose(
    _ row: Int, ofPlane index: Int, firstLine: Int, sequence: UInt64, into output: UnsafeMutablePointer<UInt8>
  ) {
    let plane = canvas.layout.planes[index]
    let start = plane.offset + row * plane.stride
    if let noise, let deviation = canvas.deviation {
      noise.add(
        to: canvas.picture + start, deviation: deviation + start, count: plane.stride, sequence: sequence,
        line: firstLine + row, output: output)
    } else {
      output.update(from: canvas.picture + start, count: plane.stride)
    }
  }
}
