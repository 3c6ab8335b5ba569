import CaptureCore
import Imaging
import SystemClocks

/// Draws pictures with the board that ``CaptureTestKit/Timecode`` reads, on a grey that moves from picture to picture.
struct BoardPictures {
  let pool: FramePool
  var size = Size(width: 256, height: 96)
  var format = PixelFormat.nv12
  var range = FrameLayout.Range.limited
  var matrix = FrameLayout.Matrix.bt709

  /// The layout of the pictures.
  var layout: FrameLayout { .packed(format, size, range: range, matrix: matrix)! }

  /// The picture whose board says `number` and `time`.
  func picture(_ number: Int, at time: UInt64) throws -> Picture {
    let grey = FrameLayout.packed(.grey, size, range: range, matrix: matrix)!
    let memory = pool.take(grey.byteCount)!
    let (sequence, camera) = (UInt64(number), UInt64(1) << 32 | ~UInt64(1) & 0xffff_ffff)
    let rows = [sequence, time, ~(sequence ^ time), camera]
    for line in 0..<size.height {
      for column in 0..<size.width {
        let row = rows.indices.first { line < (($0 + 1) * size.height + 12) / 24 }
        let isWhite = row.map { rows[$0] >> (63 - UInt64(column * 64 / size.width)) & 1 == 1 }
        let background = 60 + (column / 4 + line + 3 * number) % 100
        memory.bytes[line * size.width + column] = isWhite.map { $0 ? 235 : 16 } ?? UInt8(background)
      }
    }
    let picture = Picture(layout: grey, buffer: memory.freeze(count: grey.byteCount))
    return try PictureConverter(pool: pool).convert(picture, to: format)
  }
}
