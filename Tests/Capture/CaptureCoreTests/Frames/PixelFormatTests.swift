import CaptureCore
import Testing

/// Tests the four-character codes of pixel formats, which clients and drivers exchange.
@Suite struct PixelFormatTests {
  /// The codes have the numbers that the kernel uses.
  @Test func codesMatchTheKernelHeader() {
    // The numbers are v4l2_fourcc('Y', 'U', 'Y', 'V') and v4l2_fourcc('N', 'V', '1', '2') of linux/videodev2.h.
    #expect(PixelFormat.yuyv.rawValue == 0x5659_5559)
    #expect(PixelFormat.nv12.rawValue == 0x3231_564e)
  }

  /// A code that was parsed from a text prints as the same text.
  @Test(arguments: ["YUYV", "NV12", "MJPG", "GREY", "422P", "Y8"])
  func parsingAndPrintingACodeAreInverse(code: String) {
    #expect(PixelFormat(fourCC: code)?.fourCC == code)
  }

  /// A code of fewer than four characters is padded with spaces, as in the kernel header.
  @Test func shortCodesArePaddedWithSpaces() {
    #expect(PixelFormat(fourCC: "Y8")?.rawValue == 0x2020_3859)
  }

  /// A code with the big-endian flag (bit 31) ends in `-BE`, as V4L2 tools print it.
  @Test func bigEndianCodesEndInBE() {
    let code = PixelFormat(rawValue: PixelFormat(fourCC: "Y16")!.rawValue | 0x8000_0000)
    #expect(code.fourCC == "Y16-BE")
    #expect(code == .y16BE && PixelFormat(fourCC: "Y16-BE") == code)
    #expect(code.isBigEndian && !PixelFormat.y16.isBigEndian)
    // A code that itself ends like the flag has four characters.
    #expect(PixelFormat(fourCC: "A-BE")?.isBigEndian == false)
  }

  /// Luma alone in samples of 16 bits is grey without a range, by the numbers of the kernel.
  @Test func wideGreyTellsItsBits() {
    #expect(PixelFormat.y16.rawValue == 0x2036_3159)
    let formats: [PixelFormat] = [.y10, .y12, .y14, .y16, .y16BE, .grey, .p010, .yuyv]
    #expect(formats.map(\.wideGreyBits) == [10, 12, 14, 16, 16, nil, nil, nil])
    #expect(formats.map(\.isGrey) == [true, true, true, true, true, true, false, false])
    #expect(formats.map(\.isYCbCr) == [false, false, false, false, false, true, true, true])
  }

  /// A text that is empty, longer than four characters, or not printable ASCII is no code.
  @Test(arguments: ["", "YUYV2", "Ü", "A\n", "YUYV2-BE", "Ü-BE"])
  func otherTextIsRefused(code: String) {
    #expect(PixelFormat(fourCC: code) == nil)
  }
}
