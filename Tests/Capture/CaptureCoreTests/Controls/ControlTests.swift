import CaptureCore
import Testing

/// Tests how the ids of controls are made from the names that drivers give. Clients set controls by these ids.
@Suite struct ControlTests {
  /// The id of a control is the name that `v4l2-ctl` prints for the control, so that a client may copy the name from
  /// there: lower case, with one underscore for each run of other characters and none at the ends.
  @Test(arguments: [
    ("Brightness", "brightness"), ("White Balance, Automatic", "white_balance_automatic"),
    ("Exposure Time, Absolute", "exposure_time_absolute"), ("U8 4x4 Pixel-Array", "u8_4x4_pixel_array"),
    ("  (Odd)  ", "odd"), ("Größe", "gr_e"),
  ])
  func controlIDsMatchThoseOfV4L2Ctl(name: String, id: String) {
    #expect(Control.id(ofName: name) == id)
  }
}

/// Tests whether a device format allows photos of the highest quality.
@Suite struct HighestPhotoQualityTests {
  /// A binned format does not support the highest photo quality. A format that does not tell whether its sensor bins
  /// does, because UVC cameras never tell.
  @Test(arguments: [(true, false), (false, true), (nil, true)] as [(Bool?, Bool)])
  func aBinnedFormatHasNoHighestPhotoQuality(isBinned: Bool?, expected: Bool) {
    let format = DeviceFormat(
      pixelFormat: .yuyv, description: "", frameSize: .discrete(Size(width: 640, height: 480)),
      frameDurations: .discrete([]), isBinned: isBinned)
    #expect(format.supportsHighestPhotoQuality == expected)
  }
}
