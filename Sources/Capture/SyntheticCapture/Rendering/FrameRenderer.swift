internal import CaptureCore
internal import SystemClocks

/// Makes the pictures of one stream: draws the scene, adds the noise, bins the pixels and draws the timecode board. A
/// renderer belongs to one thread.
///
/// A picture depends only on the configuration, the settings, the format, the camera's number, the sequence number, the
/// instant and the brightness.
final class FrameRenderer {
  private let layout: FrameLayout
  private let isBinned: Bool
  private let noise: SensorNoise?
  private var settings: SensorSettings
  /// The canvas has the size of the sensor. With binning, the sensor has twice the width and height of the picture.
  private var canvas: Canvas
  private var scene: any Scene
  private let board: TimecodeBoard
  /// Two lines of the sensor, which the renderer combines into one line of a binned picture. Empty without binning.
  private var scratch: [UInt8]
  /// Converts the finished picture to high dynamic range; nil for formats without high dynamic range.
  private let wide: WidePicture?

  /// Makes a renderer and draws the parts of the scene that never move.
  ///
  /// - Parameters:
  ///   - settings: nil stands for the settings of a camera that no client has changed.
  ///   - camera: the number that the timecode board shows.
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

  /// Uses other settings for the next pictures, and draws the scene anew for them. Settings that are the same as before
  /// cost nothing.
  func apply(_ settings: SensorSettings) {
    guard settings != self.settings else { return }
    self.settings = settings
    canvas = Canvas(layout: canvas.layout, noise: noise, response: SensorResponse(settings))
    scene = settings.scene.make(on: canvas)
  }

  /// Renders a whole picture, timecode board included.
  ///
  /// - Parameters:
  ///   - time: the instant that the picture shows.
  ///   - brightness: the brightness of everything but the board, above 0 and at most 1.
  ///   - memory: has room for the byte count of the layout.
  func render(sequence: UInt64, time: WallInstant, brightness: Double = 1, into memory: UnsafeMutableRawPointer) {
    let output = wide?.picture ?? memory.assumingMemoryBound(to: UInt8.self)
    scene.update(canvas, sequence: sequence, time: time)
    expose(sequence: sequence, into: output)
    if brightness < 1 { Underexposure(brightness: brightness).apply(to: output, layout) }
    board.draw(sequence: sequence, time: time, into: output)
    wide?.write(to: memory)
  }

  /// Writes the canvas with noise, and binned if the format is, to every line of `output` that the timecode board does
  /// not cover.
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

  /// Writes one line of the sensor, with noise if there is any, to `output`.
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
