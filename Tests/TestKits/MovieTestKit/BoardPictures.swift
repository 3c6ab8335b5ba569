public import CaptureCore
internal import Foundation
public import Imaging

/// Draws pictures with the board that ``CaptureTestKit/Timecode`` reads, on grey lines.
public struct BoardPictures: Sendable {
  /// The pool from which pictures take their memory.
  public let pool: FramePool
  /// The size of the pictures.
  public var size = Size(width: 256, height: 96)
  /// The pixel format of the pictures.
  public var format = PixelFormat.nv12
  /// The range of the pictures' samples.
  public var range = FrameLayout.Range.limited
  /// The matrix of the pictures' samples.
  public var matrix = FrameLayout.Matrix.bt709

  /// Pictures whose memory comes from `pool`.
  public init(
    pool: FramePool, size: Size = Size(width: 256, height: 96), format: PixelFormat = .nv12,
    range: FrameLayout.Range = .limited, matrix: FrameLayout.Matrix = .bt709
  ) {
    self.pool = pool
    self.size = size
    self.format = format
    self.range = range
    self.matrix = matrix
  }

  /// The layout of the pictures.
  public var layout: FrameLayout { .packed(format, size, range: range, matrix: matrix)! }

  /// The picture whose board says `number` and `time`.
  public func picture(_ number: Int, at time: UInt64) throws -> Picture {
    let grey = FrameLayout.packed(.grey, size, range: range, matrix: matrix)!
    let memory = pool.take(grey.byteCount)!
    let (sequence, camera) = (UInt64(number), UInt64(1) << 32 | ~UInt64(1) & 0xffff_ffff)
    let rows = [sequence, time, ~(sequence ^ time), camera]
    let bits = (0..<size.width).map { 63 - UInt64($0 * 64 / size.width) }
    for line in 0..<size.height {
      let bytes = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[line * size.width..<(line + 1) * size.width])
      if let row = rows.indices.first(where: { line < (($0 + 1) * size.height + 12) / 24 }) {
        let word = rows[row]
        for column in 0..<size.width { bytes[column] = word >> bits[column] & 1 == 1 ? 235 : 16 }
      } else {
        memset(bytes.baseAddress!, Int32(60 + line), size.width)
      }
    }
    let picture = Picture(layout: grey, buffer: memory.freeze(count: grey.byteCount))
    return try PictureConverter(pool: pool).convert(picture, to: format)
  }
}
