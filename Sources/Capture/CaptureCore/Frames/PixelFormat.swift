/// The format of a picture's pixels, named by its four-character code in V4L2.
///
/// Firstlight carries any code that a driver offers. The static members are the formats that Firstlight itself can read
/// or write, and the formats of coded video.
public struct PixelFormat: RawRepresentable, Hashable, Sendable {
  /// The code as in `linux/videodev2.h`: four ASCII characters, the first in the lowest byte.
  public var rawValue: UInt32

  /// Creates a format from a code of `linux/videodev2.h`; every value is accepted.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Parses a four-character code such as `"YUYV"`. Shorter codes are padded with spaces. After the code, `"-BE"` sets
  /// the big-endian flag, as in ``fourCC``.
  ///
  /// - Returns: nil when the code is empty, is longer than four characters, or is not printable ASCII.
  public init?(fourCC: String) {
    if fourCC.utf8.count > 4, fourCC.hasSuffix(Self.bigEndianSuffix) {
      guard let code = PixelFormat(fourCC: String(fourCC.dropLast(3))) else { return nil }
      self.rawValue = code.rawValue | Self.bigEndianFlag
      return
    }
    let bytes = Array(fourCC.utf8)
    guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
    let padded = bytes + Array(repeating: UInt8(ascii: " "), count: 4 - bytes.count)
    self.rawValue = padded.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static let bigEndianFlag: UInt32 = 0x8000_0000
  private static let bigEndianSuffix = "-BE"

  private init(_ fourCC: StaticString) { self.init(fourCC: fourCC.description)! }

  /// The code as text without trailing spaces, for example `"YUYV"`. A code with the big-endian flag (bit 31) ends in
  /// `"-BE"`, as V4L2 tools write it.
  public var fourCC: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) & 0x7f }
    var text = String(decoding: bytes, as: UTF8.self)
    while text.last == " " { text.removeLast() }
    return isBigEndian ? text + Self.bigEndianSuffix : text
  }

  /// Packed 4:2:2, in the byte order Y0 Cb Y1 Cr.
  public static let yuyv = PixelFormat("YUYV")
  /// Packed 4:2:2, in the byte order Cb Y0 Cr Y1.
  public static let uyvy = PixelFormat("UYVY")
  /// 4:2:0 in two planes: luma, then interleaved Cb and Cr at half the height.
  public static let nv12 = PixelFormat("NV12")
  /// As `nv12`, with Cr before Cb.
  public static let nv21 = PixelFormat("NV21")
  /// As `nv12`, with little-endian samples of 16 bits, of which the upper ten count.
  public static let p010 = PixelFormat("P010")
  /// Planar 4:2:0: Y, Cb, Cr; also known as I420.
  public static let yuv420 = PixelFormat("YU12")
  /// Planar 4:2:0: Y, Cr, Cb.
  public static let yvu420 = PixelFormat("YV12")
  /// Planar 4:2:2: Y, Cb, Cr.
  public static let yuv422p = PixelFormat("422P")
  /// Luma alone, with eight bits a pixel.
  public static let grey = PixelFormat("GREY")
  /// Luma alone, in little-endian samples of 16 bits, of which the lower ten count.
  public static let y10 = PixelFormat("Y10 ")
  /// As `y10`, with twelve bits that count.
  public static let y12 = PixelFormat("Y12 ")
  /// As `y10`, with fourteen bits that count.
  public static let y14 = PixelFormat("Y14 ")
  /// Luma alone, in little-endian samples of 16 bits. Thermal cameras deliver their temperatures in it.
  public static let y16 = PixelFormat("Y16 ")
  /// As `y16`, with the upper byte of each sample first.
  public static let y16BE = PixelFormat(rawValue: y16.rawValue | bigEndianFlag)
  /// Packed bytes R, G, B in memory order.
  public static let rgb24 = PixelFormat("RGB3")
  /// Packed bytes B, G, R in memory order.
  public static let bgr24 = PixelFormat("BGR3")
  /// Packed bytes B, G, R, X in memory order; X has no meaning.
  public static let xbgr32 = PixelFormat("XR24")
  /// Packed bytes B, G, R, A in memory order; also known as BGRA.
  public static let abgr32 = PixelFormat("AR24")
  /// As `xbgr32`, by an older name that V4L2 deprecates and much software still uses.
  public static let bgr32 = PixelFormat("BGR4")
  /// Motion JPEG as cameras send it; a picture may lack its Huffman tables.
  public static let mjpeg = PixelFormat("MJPG")
  /// A complete JFIF picture.
  public static let jpeg = PixelFormat("JPEG")
  /// A photo's HEIC file. V4L2 has no such code, because no camera delivers this format.
  public static let heic = PixelFormat("HEIC")
  /// A photo's PNG file. V4L2 has no such code, because no camera delivers this format.
  public static let png = PixelFormat("PNG")

  /// H.264 in Annex B form. Decoding a picture may need earlier pictures.
  public static let h264 = PixelFormat("H264")
  /// HEVC (H.265) in Annex B form. Decoding a picture may need earlier pictures.
  public static let hevc = PixelFormat("HEVC")

  /// Whether a picture of this format may need earlier pictures of its stream to be decoded.
  public var isVideo: Bool { self == .h264 || self == .hevc }

  /// Whether the format is JPEG by either of its two names, `jpeg` and `mjpeg`.
  public var isJPEG: Bool { self == .jpeg || self == .mjpeg }

  /// Whether the code has V4L2's big-endian flag.
  public var isBigEndian: Bool { rawValue & Self.bigEndianFlag != 0 }

  /// How many bits of each sample count in a format of luma alone whose samples have 16 bits; nil for other formats.
  public var wideGreyBits: Int? {
    switch self {
    case .y10: 10
    case .y12: 12
    case .y14: 14
    case .y16, .y16BE: 16
    default: nil
    }
  }

  /// Whether pictures of this format are luma alone, in samples of 16 bits. The samples are the values that the sensor
  /// measured: they have no ``FrameLayout/range``, and no value stands for white.
  public var isWideGrey: Bool { wideGreyBits != nil }

  /// Whether pictures of this format are luma alone.
  public var isGrey: Bool { self == .grey || isWideGrey }

  /// Whether pictures of this format are uncompressed luma and chroma, or uncompressed luma alone in eight bits, so
  /// that ``FrameLayout/range`` has a meaning.
  public var isYCbCr: Bool {
    [.yuyv, .uyvy, .nv12, .nv21, .p010, .yuv420, .yvu420, .yuv422p, .grey].contains(self)
  }
}

extension PixelFormat: CustomStringConvertible {
  /// The code as ``fourCC`` gives it.
  public var description: String { fourCC }
}
