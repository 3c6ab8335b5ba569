public import CaptureCore
public import SystemClocks

/// What the timecode board of a synthetic picture says: which camera caught which instant, read from the pixels alone.
///
/// Four rows of 64 cells across the whole width, bit 63 leftmost, white 1, black 0: the sequence number, the capture
/// instant, NOT (first XOR second) as their check, and the camera's number in 32 bits followed by NOT of it.
public struct Timecode: Hashable, Sendable {
  public var sequence: UInt64
  /// The capture instant.
  public var time: WallInstant
  /// The camera's number: 1 of `synthetic-1`.
  public var camera: UInt32

  public init(sequence: UInt64, time: WallInstant, camera: UInt32 = 0) {
    self.sequence = sequence
    self.time = time
    self.camera = camera
  }

  /// Reads the board of a frame.
  ///
  /// - Returns: nil when a check disagrees or the pixel format has no luma plane to read.
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

  /// Reads the board of a luma plane of any size, for example of a decoded JPEG. Limited and full range both do.
  ///
  /// - Parameters:
  ///   - luma: from the first luma sample on.
  ///   - stride: bytes from one line to the next.
  ///   - pixelStride: bytes from one luma sample to the next: 1 in a plane, 2 in packed 4:2:2.
  /// - Returns: nil when a check disagrees, the picture is plain, or it is less than 64 pixels wide or 36 high.
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
        // Half way from black (16) to white (235).
        let isWhite = 2 * sum > (16 + 235) * lines.count * columns.count
        word = word << 1 | (isWhite ? 1 : 0)
      }
      rows.append(word)
    }
    // A bright picture without a board reads as nothing but ones; as an instant that would be in the year 2554.
    guard rows[2] == ~(rows[0] ^ rows[1]), rows[1] != .max else { return nil }
    let camera = UInt32(rows[3] >> 32)
    guard UInt32(truncatingIfNeeded: rows[3]) == ~camera else { return nil }
    self.init(sequence: rows[0], time: WallInstant(nanoseconds: rows[1]), camera: camera)
  }

  /// The middle half of a cell: its edges carry what scaling and JPEG smeared over from the neighbours.
  private static func middle(_ low: Int, _ high: Int) -> Range<Int> {
    let margin = (high - low) / 4
    return (low + margin)..<(high - margin)
  }
}
