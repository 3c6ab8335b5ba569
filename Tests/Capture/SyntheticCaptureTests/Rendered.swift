import CaptureCore
import CaptureTestKit
import SystemClocks

@testable import SyntheticCapture

/// The bytes of one picture, with methods that read single samples.
struct Rendered {
  let frame: Frame
  let bytes: [UInt8]

  /// Renders one picture on the calling thread. The default instant is arbitrary and has many bits set, so that an
  /// error in any bit shows.
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

  /// Copies the bytes of a frame that a camera published.
  init(_ frame: Frame) {
    self.frame = frame
    bytes = frame.buffer.withUnsafeBytes { Array($0) }
  }

  /// The capture instant of pictures unless a test gives another one.
  static let instant: WallInstant = 1_763_706_830_123_456_789

  var size: Size { frame.layout.size }

  /// The luma of a pixel.
  func luma(_ x: Int, _ y: Int) -> UInt8 {
    let plane = frame.layout.planes[0]
    return bytes[plane.offset + y * plane.stride + x * (frame.layout.pixelFormat == .yuyv ? 2 : 1)]
  }

  /// The chroma sample that belongs to a pixel.
  ///
  /// - Parameter component: 0 for Cb, 1 for Cr.
  func chroma(_ component: Int, _ x: Int, _ y: Int) -> UInt8 {
    if frame.layout.pixelFormat == .yuyv {
      return bytes[y * frame.layout.planes[0].stride + x / 2 * 4 + 1 + 2 * component]
    }
    let plane = frame.layout.planes[1]
    return bytes[plane.offset + y / 2 * plane.stride + x / 2 * 2 + component]
  }

  func color(_ x: Int, _ y: Int) -> YCbCr { YCbCr(luma(x, y), chroma(0, x, y), chroma(1, x, y)) }

  /// All bytes of all planes from a line down.
  ///
  /// - Parameter line: an even line; nil for the first even line below the timecode board.
  func scene(from line: Int? = nil) -> [UInt8] {
    let first = line ?? (TimecodeBoard.bottom(height: size.height) + 1) & ~1
    return frame.layout.planes.enumerated().flatMap { index, plane in
      bytes[plane.offset + (index == 0 ? first : first / 2) * plane.stride..<plane.offset + plane.rows * plane.stride]
    }
  }
}

/// The mean and the unbiased variance of samples.
func statistics(_ samples: [Double]) -> (mean: Double, variance: Double) {
  let mean = samples.reduce(0, +) / Double(samples.count)
  return (mean, samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(samples.count - 1))
}
