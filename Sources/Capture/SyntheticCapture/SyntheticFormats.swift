internal import CaptureCore

/// What every synthetic camera offers.
enum SyntheticFormats {
  /// Pixels per second that the pretended sensor reads out: 4K at 30, not at 50 or 60, which are offered all the same so
  /// that a configuration can cost too much. Binned formats read the pixels they deliver.
  static let sensorReadout = 260_000_000.0

  private static let rates: [UInt32] = [60, 50, 30, 24, 15, 10, 5]
  private static let pixelFormats: [PixelFormat] = [.nv12, .yuyv]

  private static let fullSizes = [
    Size(width: 1920, height: 1080), Size(width: 1280, height: 720), Size(width: 640, height: 360),
    Size(width: 320, height: 180), Size(width: 3840, height: 2160),
  ]

  // Sizes of their own: a request names a pixel format and a size, so those alone must tell binned from not.
  private static let binnedSizes = [Size(width: 960, height: 540), Size(width: 480, height: 270)]

  /// Of high dynamic range; no larger, because every pixel takes some arithmetic.
  private static let wideSizes = [Size(width: 1280, height: 720), Size(width: 640, height: 360)]

  /// Every format, the commonest first.
  static let all: [DeviceFormat] =
    pixelFormats.flatMap { pixelFormat in
      fullSizes.map { format(pixelFormat, $0, isBinned: false) }
    }
    + pixelFormats.flatMap { pixelFormat in
      binnedSizes.map { format(pixelFormat, $0, isBinned: true) }
    } + wideSizes.map { format(.p010, $0, isBinned: false) }

  /// The offered format a request names.
  static func find(_ pixelFormat: PixelFormat, _ size: Size) -> DeviceFormat? {
    all.first { $0.pixelFormat == pixelFormat && $0.supports(size) }
  }

  /// The offered rate nearest to the wanted one, as a driver's `VIDIOC_S_PARM` picks it.
  static func nearestRate(to wanted: Rational, of format: DeviceFormat) -> Rational {
    guard case .discrete(let durations) = format.frameDurations else { return wanted }
    let offered = durations.map(\.reciprocal)
    return offered.min { abs($0.value - wanted.value) < abs($1.value - wanted.value) } ?? wanted
  }

  /// How frames of a format lie in memory, and their colours.
  static func layout(_ pixelFormat: PixelFormat, _ size: Size) -> FrameLayout? {
    pixelFormat == .p010
      ? .packed(pixelFormat, size, matrix: .bt2020, transfer: .pq) : .packed(pixelFormat, size)
  }

  private static func format(_ pixelFormat: PixelFormat, _ size: Size, isBinned: Bool) -> DeviceFormat {
    let layout =
      switch pixelFormat {
      case .nv12: "Y/UV 4:2:0"
      case .p010: "10-bit Y/UV 4:2:0, PQ"
      default: "YUYV 4:2:2"
      }
    return DeviceFormat(
      pixelFormat: pixelFormat, description: isBinned ? "\(layout), 2x2 binned" : layout, frameSize: .discrete(size),
      frameDurations: .discrete(rates.map { Rational(1, $0) }), isBinned: isBinned)
  }
}
