import CaptureCore
import Testing

@Suite struct ControlTests {
  @Test(arguments: [
    ("Brightness", "brightness"), ("White Balance, Automatic", "white_balance_automatic"),
    ("Exposure Time, Absolute", "exposure_time_absolute"), ("U8 4x4 Pixel-Array", "u8_4x4_pixel_array"),
    ("  (Odd)  ", "odd"), ("Größe", "gr_e"),
  ])
  func idsAreThoseOfV4L2Ctl(name: String, id: String) {
    #expect(Control.id(ofName: name) == id)
  }
}

@Suite struct HighestPhotoQualityTests {
  @Test(arguments: [(true, false), (false, true), (nil, true)] as [(Bool?, Bool)])
  func followsBinning(isBinned: Bool?, expected: Bool) {
    let format = DeviceFormat(
      pixelFormat: .yuyv, description: "", frameSize: .discrete(Size(width: 640, height: 480)),
      frameDurations: .discrete([]), isBinned: isBinned)
    #expect(format.supportsHighestPhotoQuality == expected)
  }
}
