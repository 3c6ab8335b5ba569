/// The controls whose meaning the daemon knows. Their raw values are V4L2's numbers (`linux/v4l2-controls.h`), which
/// synthetic cameras use too.
public enum KnownControl: UInt32, Hashable, Sendable {
  /// `V4L2_CID_BRIGHTNESS`
  case brightness = 0x0098_0900
  /// `V4L2_CID_CONTRAST`
  case contrast = 0x0098_0901
  /// `V4L2_CID_AUTOGAIN`
  case automaticGain = 0x0098_0912
  /// `V4L2_CID_GAIN`
  case gain = 0x0098_0913
  /// `V4L2_CID_EXPOSURE_AUTO`
  case automaticExposure = 0x009a_0901
  /// `V4L2_CID_EXPOSURE_ABSOLUTE`, in units of 100 µs.
  case exposure = 0x009a_0902
  /// `V4L2_CID_AUTO_EXPOSURE_BIAS`, in thousandths of an EV.
  case exposureBias = 0x009a_0913
  /// `V4L2_CID_FLASH_LED_MODE`
  case flashMode = 0x009c_0901
  /// `V4L2_CID_FLASH_STROBE`
  case strobe = 0x009c_0903
  /// `V4L2_CID_FLASH_STROBE_STOP`
  case strobeStop = 0x009c_0904
  /// `V4L2_CID_FLASH_TIMEOUT`, in µs.
  case flashTimeout = 0x009c_0906
  /// `V4L2_CID_FLASH_TORCH_INTENSITY`
  case torchIntensity = 0x009c_0908
  /// `V4L2_CID_TEST_PATTERN`
  case testPattern = 0x009f_0903
}

extension Control {
  /// Which of the known controls this is; nil for a control whose meaning only the driver knows.
  public var known: KnownControl? { KnownControl(rawValue: v4l2ID) }
}
