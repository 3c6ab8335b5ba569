import CaptureCore

@testable import SyntheticCapture

/// The bytes of one picture, with names for them.
struct Rendered {
  let frame: Frame
  let bytes: [UInt8]

  /// Renders without a thread. The wall instant is an arbitrary one with many bits.
  init(
    _ configuration: SyntheticCameraConfiguration, _ format: PixelFormat, _ size: Size, isBinned: Bool = false,
    sequence: UInt64 = 7, wallNanoseconds: UInt64 = Rendered.instant
  ) {
    let layout = FrameLayout.packed(format, size)!
    let renderer = FrameRenderer(configuration: configuration, layout: layout, isBinned: isBinned)
    self.init(renderer, layout, sequence: sequence, wallNanoseconds: wallNanoseconds)
  }

  init(
    _ renderer: FrameRenderer, _ layout: FrameLayout, sequence: UInt64, wallNanoseconds: UInt64 = Rendered.instant
  ) {
    let memory = FramePool(budget: layout.byteCount + 4096).take(layout.byteCount)!
    renderer.render(sequence: sequence, wallNanoseconds: wallNanoseconds, into: memory.bytes.baseAddress!)
    let time = FrameTime(monotonicNanoseconds: 1, wallNanoseconds: wallNanoseconds, source: .startOfExposure)
    self.init(
      Frame(
        streamID: 1, sequence: sequence, time: time, layout: layout, buffer: memory.freeze(count: layout.byteCount)))
  }

  init(_ frame: Frame) {
    self.frame = frame
    bytes = frame.buffer.withUnsafeBytes { Array($0) }
  }

  static let instant: UInt64 = 1_763_706_830_123_456_789

  var size: Size { frame.layout.size }

  func luma(_ x: Int, _ y: Int) -> UInt8 {
    let plane = frame.layout.planes[0]
    return bytes[plane.offset + y * plane.stride + x * (frame.layout.pixelFormat == .yuyv ? 2 : 1)]
  }

  /// Cb and Cr at a pixel.
  func chroma(_ x: Int, _ y: Int) -> [UInt8] {
    if frame.layout.pixelFormat == .yuyv {
      let start = y * frame.layout.planes[0].stride + x / 2 * 4
      return [bytes[start + 1], bytes[start + 3]]
    }
    let plane = frame.layout.planes[1]
    let start = plane.offset + y / 2 * plane.stride + x / 2 * 2
    return [bytes[start], bytes[start + 1]]
  }

  /// Everything below the board, luma and chroma.
  var scene: [[UInt8]] {
    let first = (TimecodeBoard.bottom(height: size.height) + 1) & ~1
    return (first..<size.height).map { y in (0..<size.width).flatMap { x in [luma(x, y)] + chroma(x, y) } }
  }
}

/// Mean and variance of samples.
func statistics(_ samples: [Double]) -> (mean: Double, variance: Double) {
  let mean = samples.reduce(0, +) / Double(samples.count)
  return (mean, samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(samples.count - 1))
}
