internal import CaptureCore
internal import SystemClocks

/// Draws the sequence number, the instant and the camera at the top of every picture, so that a program can read them
/// from the pixels: four rows of 64 cells across the whole width.
///
/// Cell c spans columns ⌊c · width / 64⌋ up to ⌊(c + 1) · width / 64⌋, row r spans lines ⌊(r · height + 12) / 24⌋ up to
/// ⌊((r + 1) · height + 12) / 24⌋, the ends excluded. Each cell is one bit: bit 63 is leftmost, white is 1 and black is
/// 0. Chroma is neutral.
///
/// Row 0 is the sequence number. Row 1 is the capture instant in nanoseconds since the Unix epoch. Row 2 is the check
/// of both: NOT (row 0 XOR row 1). Row 3 has the camera's number in its upper 32 bits, and in its lower 32 bits NOT of
/// the camera's number as a check.
struct TimecodeBoard {
  static let white: UInt8 = 235
  static let black: UInt8 = 16

  /// The number of rows.
  static let rows = 4

  let layout: FrameLayout
  /// The number in the camera's original device id, for example 0 for `synthetic-0`.
  let camera: UInt32

  /// The first line below the board in a picture of `height` lines.
  static func bottom(height: Int) -> Int { line(ofRow: rows, height: height) }

  static func line(ofRow row: Int, height: Int) -> Int { (row * height + 12) / 24 }

  /// Draws the board over the top of a finished picture, so that noise never reaches the board.
  ///
  /// - Parameters:
  ///   - time: the capture instant.
  ///   - base: a picture of `layout`, which is NV12 or YUYV.
  func draw(sequence: UInt64, time: WallInstant, into base: UnsafeMutablePointer<UInt8>) {
    let luma = layout.planes[0]
    let instant = time.nanoseconds
    let words = [sequence, instant, ~(sequence ^ instant), UInt64(camera) << 32 | UInt64(~camera)]
    for (row, word) in words.enumerated() {
      let lines =
        Self.line(ofRow: row, height: layout.size.height)..<Self.line(ofRow: row + 1, height: layout.size.height)
      guard let first = lines.first else { continue }
      let pattern = base + luma.offset + first * luma.stride
      drawLine(word, into: pattern)
      for line in lines.dropFirst() {
        (base + luma.offset + line * luma.stride).update(from: pattern, count: luma.stride)
      }
    }
    if layout.planes.count > 1 {
      let chroma = layout.planes[1]
      // The number of chroma lines is rounded up: a chroma line belongs to the board even if only one of its two luma
      // lines does.
      let lines = (Self.bottom(height: layout.size.height) + 1) / 2
      (base + chroma.offset).update(repeating: 128, count: lines * chroma.stride)
    }
  }

  private func drawLine(_ word: UInt64, into line: UnsafeMutablePointer<UInt8>) {
    let width = layout.size.width
    let step = layout.pixelFormat == .yuyv ? 2 : 1
    if step == 2 { line.update(repeating: 128, count: 2 * width) }
    for cell in 0..<64 {
      let value = word >> (63 - UInt64(cell)) & 1 == 1 ? Self.white : Self.black
      for column in cell * width / 64..<(cell + 1) * width / 64 { line[step * column] = value }
    }
  }
}
