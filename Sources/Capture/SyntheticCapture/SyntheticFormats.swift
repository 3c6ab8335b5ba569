internal import CaptureCore

/// The formats that every synthetic camera offers.
enum SyntheticFormats {
  /// The pixels per second that the imitated sensor can read out. The limit allows 4K at 30 frames per second but not
  /// at 50 or 60. The camera offers those rates all the same, so that a configuration can cost too much. Binned formats
  /// count only the pixels that they deliver.
  static let sensorReadout = 260_000_000.0

  private static let rates: [UInt32] = [60, 50, 30, 24, 15, 10, 5]
  private static let pixelFormats: [PixelFormat] = [.nv12, .yuyv]

  private static let fullSizes = [
    Size(width: 1920, height: 1080), Size(width: 1280, height: 720), Size(width: 640, height: 360),
    Size(width: 320, height: 180), Size(width: 3840, height: 2160),
  ]

  // Binned formats have sizes of their own, because a request names only a pixel format and a size, and the two must
  // tell a binned format from one that is not.
  private static let binnedSizes = [Size(width: 960, height: 540), Size(width: 480, height: 270)]

  /// The sizes with high dynamic range. There is no larger size, because each pixel takes much arithmetic.
  private static let wideSizes = [Size(width: 1280, height: 720), Size(width: 640, height: 360)]

  /// Every format, the most usual first.
  static let all: [DeviceFormat] =
    pixelFormats.flatMap { pixelFormat in
      fullSizes.map { format(pixelFormat, $0, isBinned: false) }
    }
    + pixelFormats.flatMap { pixelFormat in
      binnedSizes.map { format(pixelFormat, $0, isBinned: true) }
    } + wideSizes.map { format(.p010, $0, isBinned: false) }

  /// The offered format that a request names; nil when the camera does not offer that format.
  static func find(_ pixelFormat: PixelFormat, _ size: Size) -> DeviceFormat? {
    all.first { $0.pixelFormat == pixelFormat && $0.supports(size) }
  }

  /// The rate nearest to `wanted` among the rates that the format offers. A driver's `VIDIOC_S_PARM` would choose the
  /// same rate.
  static func nearestRate(to wanted: Rational, of format: DeviceFormat) -> Rational {
    guard case .discrete(let durations) = format.frameDurations else { return wanted }
    let offered = durations.map(\.reciprocal)
    return offered.min { abs($0.value - wanted.value) < abs($1.value - wanted.value) } ?? wanted
  }

  /// The layout of the frames of a format, with their colour description. Nil for a pixel format without a packed
  /// layout.
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
