public import CaptureCore
public import SystemClocks

/// The content of the timecode board of a synthetic picture: the camera, the sequence number and the capture instant of
/// the picture. It is read from the pixels alone.
///
/// The board has four rows of 64 cells across the whole width of the picture. Each row is a number of 64 bits, with bit
/// 63 leftmost; a white cell is 1, a black cell is 0. The rows are, from the top: the sequence number; the capture
/// instant; the check, which is NOT (first XOR second); the camera's number in 32 bits, followed by NOT of the camera's
/// number.
public struct Timecode: Hashable, Sendable {
  /// The driver's number of the frame in its stream.
  public var sequence: UInt64
  /// The capture instant.
  public var time: WallInstant
  /// The number of the camera, for example 1 for `synthetic-1`.
  public var camera: UInt32

  /// Creates the content that a test expects to read.
  public init(sequence: UInt64, time: WallInstant, camera: UInt32 = 0) {
    self.sequence = sequence
    self.time = time
    self.camera = camera
  }

  /// Reads the board of a frame.
  ///
  /// Fails, with nil, when a check disagrees, when the pixel format has no 8-bit luma that this type can read, and as
  /// ``init(luma:stride:pixelStride:size:)`` does.
  public init?(_ frame: Frame) {
    let format = frame.layout.pixelFormat
    let (first, step): (Int, Int)
    switch format {
    case .nv12, .nv21, .yuv420, .yvu420, .yuv422p, .grey: (first, step) = (0, 1)
    case .yuyv: (first, step) = (0, 2)
    case .uyvy: (first, step) = (1, 2)
    default: return nil
    }
    guard let plane = frame.layout.planes.first else { return nil }
    let decoded = frame.buffer.withUnsafeBytes { bytes in
      Timecode(
        luma: UnsafeRawBufferPointer(rebasing: bytes[(plane.offset + first)...]), stride: plane.stride,
        pixelStride: step, size: frame.layout.size)
    }
    guard let decoded else { return nil }
    self = decoded
  }

  /// Reads the board of luma samples in a picture of any size, for example of a decoded JPEG. The samples may have
  /// limited or full range.
  ///
  /// Fails, with nil, when a check disagrees, when the picture has no board, and when the picture is less than 64
  /// pixels wide or 36 pixels high.
  ///
  /// - Parameters:
  ///   - luma: the bytes of the picture, beginning with the first luma sample.
  ///   - stride: the bytes from the start of one line to the start of the next.
  ///   - pixelStride: the bytes from one luma sample to the next: 1 in a plane, 2 in packed 4:2:2.
  public init?(luma: UnsafeRawBufferPointer, stride: Int, pixelStride: Int = 1, size: Size) {
    guard size.width >= 64, size.height >= 36 else { return nil }
    var rows: [UInt64] = []
    for row in 0..<4 {
      let lines = Self.middle((row * size.height + 12) / 24, ((row + 1) * size.height + 12) / 24)
      var word: UInt64 = 0
      for cell in 0..<64 {
        let columns = Self.middle(cell * size.width / 64, (cell + 1) * size.width / 64)
        var sum = 0
        for line in lines {
          for column in columns { sum += Int(luma[line * stride + column * pixelStride]) }
        }
        // The threshold is half way between black (16) and white (235).
        let isWhite = 2 * sum > (16 + 235) * lines.count * columns.count
        word = word << 1 | (isWhite ? 1 : 0)
      }
      rows.append(word)
    }
    // In a bright picture without a board, every bit reads as 1. As a capture instant, these bits would be in the year
    // 2554.
    guard rows[2] == ~(rows[0] ^ rows[1]), rows[1] != .max else { return nil }
    let camera = UInt32(rows[3] >> 32)
    guard UInt32(truncatingIfNeeded: rows[3]) == ~camera else { return nil }
    self.init(sequence: rows[0], time: WallInstant(nanoseconds: rows[1]), camera: camera)
  }

  /// The middle half of a cell, along one side. The edges of a cell are left out, because scaling and JPEG mix them
  /// with the neighbouring cells.
  private static func middle(_ low: Int, _ high: Int) -> Range<Int> {
    let margin = (high - low) / 4
    return (low + margin)..<(high - margin)
  }
}
