import CaptureCore
import Testing

@Suite struct PixelFormatTests {
  @Test func codesAreThoseOfTheKernel() {
    // v4l2_fourcc('Y', 'U', 'Y', 'V') and ('N', 'V', '1', '2') of linux/videodev2.h.
    #expect(PixelFormat.yuyv.rawValue == 0x5659_5559)
    #expect(PixelFormat.nv12.rawValue == 0x3231_564e)
  }

  @Test(arguments: ["YUYV", "NV12", "MJPG", "GREY", "422P", "Y8"])
  func textGoesThereAndBack(code: String) {
    #expect(PixelFormat(fourCC: code)?.fourCC == code)
  }

  @Test func shortCodesArePadded() {
    #expect(PixelFormat(fourCC: "Y8")?.rawValue == 0x2020_3859)
  }

  @Test func bigEndianIsTold() {
    let code = PixelFormat(rawValue: PixelFormat(fourCC: "Y16")!.rawValue | 0x8000_0000)
    #expect(code.fourCC == "Y16-BE")
  }

  @Test(arguments: ["", "YUYV2", "Ü", "A\n"])
  func otherTextIsRefused(code: String) {
    #expect(PixelFormat(fourCC: code) == nil)
  }
}
