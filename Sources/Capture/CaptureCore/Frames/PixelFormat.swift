/// The memory layout of a picture, named by its V4L2 four-character code.
///
/// Any code a driver offers can be carried; the static members are those that Firstlight itself can read.
public struct PixelFormat: RawRepresentable, Hashable, Sendable {
  /// The code as in `linux/videodev2.h`: four ASCII characters, the first in the lowest byte.
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Parses a four-character code such as `"YUYV"`; shorter codes are padded with spaces.
  ///
  /// - Returns: nil when `fourCC` is empty, longer than four characters or not printable ASCII.
  public init?(fourCC: String) {
    let bytes = Array(fourCC.utf8)
    guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
    let padded = bytes + Array(repeating: UInt8(ascii: " "), count: 4 - bytes.count)
    self.rawValue = padded.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private init(_ fourCC: StaticString) { self.init(fourCC: fourCC.description)! }

  /// The code as text without trailing spaces, `"YUYV"`; the big-endian flag (bit 31) is written `"-BE"` as V4L2 tools do.
  public var fourCC: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) & 0x7f }
    var text = String(decoding: bytes, as: UTF8.self)
    while text.last == " " { text.removeLast() }
    return rawValue & 0x8000_0000 == 0 ? text : text + "-BE"
  }

  /// Packed 4:2:2, Y0 Cb Y1 Cr.
  public static let yuyv = PixelFormat("YUYV")
  /// Packed 4:2:2, Cb Y0 Cr Y1.
  public static let uyvy = PixelFormat("UYVY")
  /// Luma plane, then a half-height plane of interleaved Cb Cr.
  public static let nv12 = PixelFormat("NV12")
  /// As `nv12` with Cr before Cb.
  public static let nv21 = PixelFormat("NV21")
  /// As `nv12` with 16 bits a sample, little-endian, of which the upper ten count.
  public static let p010 = PixelFormat("P010")
  /// Planar 4:2:0: Y, Cb, Cr (I420).
  public static let yuv420 = PixelFormat("YU12")
  /// Planar 4:2:0: Y, Cr, Cb.
  public static let yvu420 = PixelFormat("YV12")
  /// Planar 4:2:2: Y, Cb, Cr.
  public static let yuv422p = PixelFormat("422P")
  /// Eight bits of luma.
  public static let grey = PixelFormat("GREY")
  /// Packed R, G, B bytes in memory order.
  public static let rgb24 = PixelFormat("RGB3")
  /// Packed B, G, R bytes in memory order.
  public static let bgr24 = PixelFormat("BGR3")
  /// Packed B, G, R, X bytes in memory order.
  public static let xbgr32 = PixelFormat("XR24")
  /// Packed B, G, R, A bytes in memory order; what others call BGRA.
  public static let abgr32 = PixelFormat("AR24")
  /// As `xbgr32`, by the older name that V4L2 deprecates and many programs use.
  public static let bgr32 = PixelFormat("BGR4")
  /// Motion JPEG as cameras send it: the Huffman table may be missing.
  public static let mjpeg = PixelFormat("MJPG")
  /// A complete JFIF picture.
  public static let jpeg = PixelFormat("JPEG")
  /// A photo's file in HEIC. No code of V4L2, as the next: no camera gives it.
  public static let heic = PixelFormat("HEIC")
  /// A photo's file in PNG.
  public static let png = PixelFormat("PNG")

  /// H.264, Annex B: a picture may need those before it.
  public static let h264 = PixelFormat("H264")

  /// Whether it is one of the two names of JPEG.
  public var isJPEG: Bool { self == .jpeg || self == .mjpeg }

  /// Whether it is uncompressed luma and chroma, or luma alone, so that ``FrameLayout/range`` means something.
  public var isYCbCr: Bool {
    [.yuyv, .uyvy, .nv12, .nv21, .p010, .yuv420, .yvu420, .yuv422p, .grey].contains(self)
  }
}

extension PixelFormat: CustomStringConvertible {
  public var description: String { fourCC }
}
