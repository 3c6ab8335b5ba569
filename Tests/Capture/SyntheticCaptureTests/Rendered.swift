import CaptureCore
import CaptureTestKit
import SystemClocks

@testable import SyntheticCapture

/// The bytes of one picture, with names for them.
struct Rendered {
  let frame: Frame
  let bytes: [UInt8]

  /// Renders without a thread. The wall instant is an arbitrary one with many bits.
  init(
    _ configuration: SyntheticCameraConfiguration, _ format: PixelFormat, _ size: Size, isBinned: Bool = false,
    camera: UInt32 = 0, sequence: UInt64 = 7, time: WallInstant = Rendered.instant
  ) {
    let layout = FrameLayout.packed(format, size)!
    let renderer = FrameRenderer(configuration: configuration, camera: camera, layout: layout, isBinned: isBinned)
    self.init(renderer, layout, sequence: sequence, time: time)
  }

  init(
    _ renderer: FrameRenderer, _ layout: FrameLayout, sequence: UInt64, time: WallInstant = Rendered.instant
  ) {
    let memory = FramePool(budget: layout.byteCount + 4096).take(layout.byteCount)!
    renderer.render(sequence: sequence, time: time, into: memory.bytes.baseAddress!)
    let time = FrameTime(monotonic: 1, wall: time, source: .startOfExposure)
    self.init(
      Frame(
        streamID: 1, sequence: sequence, time: time, layout: layout, buffer: memory.freeze(count: layout.byteCount)))
  }

  init(_ frame: Frame) {
    self.frame = frame
    bytes = frame.buffer.withUnsafeBytes { Array($0) }
  }

  static let instant: WallInstant = 1_763_706_830_123_456_789

  var size: Size { frame.layout.size }

  func luma(_ x: Int, _ y: Int) -> UInt8 {
    let plane = frame.layout.planes[0]
    return bytes[plane.offset + y * plane.stride + x * (frame.layout.pixelFormat == .yuyv ? 2 : 1)]
  }

  /// Cb (0) or Cr (1) at a pixel.
  func chroma(_ component: Int, _ x: Int, _ y: Int) -> UInt8 {
    if frame.layout.pixelFormat == .yuyv {
      return bytes[y * frame.layout.planes[0].stride + x / 2 * 4 + 1 + 2 * component]
    }
    let plane = frame.layout.planes[1]
    return bytes[plane.offset + y / 2 * plane.stride + x / 2 * 2 + component]
  }

  func color(_ x: Int, _ y: Int) -> YCbCr { YCbCr(luma(x, y), chroma(0, x, y), chroma(1, x, y)) }

  /// Everything from `line` on, an even one: by default what is below the board.
  func scene(from line: Int? = nil) -> [UInt8] {
    let first = line ?? (TimecodeBoard.bottom(height: size.height) + 1) & ~1
    return frame.layout.planes.enumerated().flatMap { index, plane in
      bytes[plane.offset + (index == 0 ? first : first / 2) * plane.stride..<plane.offset + plane.rows * plane.stride]
    }
  }
}

/// Mean and variance of samples.
func statistics(_ samples: [Double]) -> (mean: Double, variance: Double) {
  let mean = samples.reduce(0, +) / Double(samples.count)
  return (mean, samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(samples.count - 1))
}
