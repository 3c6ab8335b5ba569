internal import CaptureCore
internal import Foundation

/// Converts the scene to high dynamic range: BT.2020, PQ, ten bits. The scene's white becomes 203 cd/m². The lowest
/// twelfth of the lines shows a ramp from black on the left to 10,000 cd/m² on the right. Belongs to one thread.
final class WidePicture {
  /// The layout in which the renderer draws the scene: 8-bit NV12, BT.601.
  let plain: FrameLayout
  /// The memory in which the renderer draws the scene.
  let picture: UnsafeMutablePointer<UInt8>
  private let layout: FrameLayout
  private let tables = Tables.shared

  /// The code values of black and white in limited-range ten-bit luma.
  private static let codes = (black: 64.0, white: 940.0)

  /// - Parameter layout: packed P010 of even size.
  init(_ layout: FrameLayout) {
    self.layout = layout
    guard let plain = FrameLayout.packed(.nv12, layout.size) else { preconditionFailure("NV12 has planes") }
    self.plain = plain
    picture = .allocate(capacity: plain.byteCount)
  }

  deinit { picture.deallocate() }

  /// The first line of the ramp in a picture of `height` lines.
  static func ramp(height: Int) -> Int { (height - height / 12) & ~1 }

  /// The ten-bit luma of the ramp at a column.
  static func rampCode(_ column: Int, width: Int) -> UInt16 {
    UInt16((codes.black + (codes.white - codes.black) * Double(column) / Double(width - 1)).rounded())
  }

  /// Converts the drawn scene and writes it to `memory`, which has room for the byte count of the P010 layout.
  func write(to memory: UnsafeMutableRawPointer) {
    let (width, height, ramp) = (layout.size.width, layout.size.height, Self.ramp(height: layout.size.height))
    for line in stride(from: 0, to: ramp, by: 2) {
      let chroma = picture + plain.planes[1].offset + line / 2 * plain.planes[1].stride
      for column in stride(from: 0, to: width, by: 2) {
        let (cb, cr) = (Float(chroma[column]) - 128, Float(chroma[column + 1]) - 128)
        var sum = (y: Float(0), red: Float(0), blue: Float(0))
        for row in line..<line + 2 {
          let start = picture + plain.planes[0].offset + row * plain.planes[0].stride + column
          for pixel in 0..<2 {
            let sample = tables.wide(Float(start[pixel]) - 16, cb, cr)
            store(64 + 876 * sample.y, memory, plane: 0, row, column + pixel)
            (sum.y, sum.red, sum.blue) = (sum.y + sample.y, sum.red + sample.red, sum.blue + sample.blue)
          }
        }
        store(512 + 896 / 4 / 1.8814 * (sum.blue - sum.y), memory, plane: 1, line / 2, column)
        store(512 + 896 / 4 / 1.4746 * (sum.red - sum.y), memory, plane: 1, line / 2, column + 1)
      }
    }
    for row in ramp..<height {
      for column in 0..<width { store(Float(Self.rampCode(column, width: width)), memory, plane: 0, row, column) }
    }
    for row in ramp / 2..<layout.planes[1].rows {
      for column in 0..<width { store(512, memory, plane: 1, row, column) }
    }
  }

  private func store(_ code: Float, _ memory: UnsafeMutableRawPointer, plane: Int, _ row: Int, _ column: Int) {
    let place = layout.planes[plane].offset + row * layout.planes[plane].stride + 2 * column
    memory.storeBytes(of: (UInt16(code + 0.5) << 6).littleEndian, toByteOffset: place, as: UInt16.self)
  }

  /// Tables of powers: computing a power for each pixel would take longer than all the other work.
  private struct Tables: Sendable {
    static let shared = Tables()
    private static let count = 4096
    /// The light of a sample on a screen, by the sample in steps of 1/4095. In both, 1 is white.
    private let light: [Float]
    /// The PQ sample, 0...1, by the square root of the light in steps of 1/4095. A light of 1 is white, 203 cd/m².
    private let code: [Float]

    private init() {
      light = (0..<Self.count).map { Float(pow(Double($0) / Double(Self.count - 1), 2.4)) }
      code = (0..<Self.count).map {
        let root = Double($0) / Double(Self.count - 1)
        let power = pow(root * root * 203 / 10_000, 0.1593017578125)
        return Float(pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375))
      }
    }

    /// Converts one pixel.
    ///
    /// - Parameters:
    ///   - y: luma of limited-range BT.601, less 16.
    ///   - cb: blue difference, less 128.
    ///   - cr: red difference, less 128.
    /// - Returns: luma, red and blue of BT.2020 in PQ, 0...1.
    func wide(_ y: Float, _ cb: Float, _ cr: Float) -> (y: Float, red: Float, blue: Float) {
      let luma = y / 219
      let red = at(light, luma + 1.402 / 224 * cr)
      let green = at(light, luma - 0.344136 / 224 * cb - 0.714136 / 224 * cr)
      let blue = at(light, luma + 1.772 / 224 * cb)
      // The matrix from the primaries of BT.709 to those of BT.2020, as in ITU-R BT.2087.
      let r = at(code, (0.6274 * red + 0.3293 * green + 0.0433 * blue).squareRoot())
      let g = at(code, (0.0691 * red + 0.9195 * green + 0.0114 * blue).squareRoot())
      let b = at(code, (0.0164 * red + 0.0880 * green + 0.8956 * blue).squareRoot())
      return (0.2627 * r + 0.678 * g + 0.0593 * b, r, b)
    }

    private func at(_ table: [Float], _ place: Float) -> Float {
      table.withUnsafeBufferPointer { $0[Int(max(0, min(1, place)) * Float(Self.count - 1) + 0.5)] }
    }
  }
}
