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
  private func format(_ width: Int, _ height: Int, isBinned: Bool? = nil) -> DeviceFormat {
    DeviceFormat(
      pixelFormat: .yuyv, description: "", frameSize: .discrete(Size(width: width, height: height)),
      frameDurations: .discrete([]), isBinned: isBinned)
  }

  private func best(_ formats: [DeviceFormat]) -> [Bool] {
    let device = Device(id: "d", displayName: "", type: .external, driver: "", location: "", formats: formats)
    return formats.map(device.isHighestPhotoQuality)
  }

  @Test func onlyTheLargestThatIsNotBinned() {
    #expect(best([format(1920, 1080), format(640, 480), format(1920, 1080)]) == [true, false, true])
    #expect(best([format(4000, 3000, isBinned: true), format(1920, 1080, isBinned: false)]) == [false, true])
    #expect(best([format(4000, 3000, isBinned: true)]) == [false])
  }

  @Test func aRangeCountsByItsLargest() {
    var range = format(0, 0)
    range.frameSize = .range(
      SizeRange(
        minimum: Size(width: 2, height: 2), maximum: Size(width: 1920, height: 1080), step: Size(width: 2, height: 2)))
    #expect(best([format(640, 480), range]) == [false, true])
  }
}
