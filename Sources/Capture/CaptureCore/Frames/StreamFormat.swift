/// The format and rate that a driver confirmed for a stream.
public struct StreamFormat: Hashable, Sendable {
  /// The pixel format that the driver delivers (`VIDIOC_S_FMT`).
  public var devicePixelFormat: PixelFormat
  /// How the frames of the stream lie in memory. Their pixel format differs from `devicePixelFormat` if
  /// ``DeviceFormat/convertedTo`` is set.
  public var layout: FrameLayout
  /// The frames per second that the driver confirmed (`VIDIOC_S_PARM`).
  public var frameRate: Rational

  /// Creates the format of a stream.
  ///
  /// - Parameters:
  ///   - devicePixelFormat: the pixel format that the driver delivers.
  ///   - layout: how the frames of the stream lie in memory.
  ///   - frameRate: in frames per second.
  public init(devicePixelFormat: PixelFormat, layout: FrameLayout, frameRate: Rational) {
    self.devicePixelFormat = devicePixelFormat
    self.layout = layout
    self.frameRate = frameRate
  }
}

/// The stream that a session asks a camera for.
public struct StreamRequest: Hashable, Sendable {
  /// The pixel format that the driver shall deliver.
  public var pixelFormat: PixelFormat
  /// The size of the frames in pixels.
  public var size: Size
  /// The wanted frames per second. The camera takes the nearest rate that it has. The source always sets the rate,
  /// because some drivers start at 5 frames per second.
  public var frameRate: Rational
  /// How long the camera may bring no frame before the stream counts as stalled.
  public var patience = StallPatience()

  /// Creates a request with the usual patience.
  ///
  /// - Parameter frameRate: the wanted frames per second.
  public init(pixelFormat: PixelFormat, size: Size, frameRate: Rational) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.frameRate = frameRate
  }
}

/// A width and a height in pixels.
public struct Size: Hashable, Sendable, CustomStringConvertible {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a size.
  ///
  /// - Parameters:
  ///   - width: in pixels.
  ///   - height: in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The number of pixels of a picture of this size.
  public var pixelCount: Int { width * height }

  /// The size without the last column and the last line where their number is odd. Encoders of video need even sizes.
  public var evenSize: Size { Size(width: max(2, width & ~1), height: max(2, height & ~1)) }

  /// The size as text, for example `"1280x720"`.
  public var description: String { "\(width)x\(height)" }
}

/// A positive fraction. The fraction keeps the terms in which the driver states it; 1001/30000 is not reduced or
/// rounded.
public struct Rational: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number above the line of the fraction.
  public var numerator: UInt32
  /// The number below the line of the fraction; 0 from some drivers, when they do not know the value.
  public var denominator: UInt32

  /// Creates `numerator`/`denominator` without reducing the fraction.
  public init(_ numerator: UInt32, _ denominator: UInt32) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The value of the fraction; 0 when the denominator is 0, which some drivers report for "unknown".
  public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }

  /// The fraction with its numerator and denominator exchanged: the rate for a duration, and the duration for a rate.
  public var reciprocal: Rational { Rational(denominator, numerator) }

  /// Compares the numbers, whose denominators may differ.
  public static func < (a: Rational, b: Rational) -> Bool {
    UInt64(a.numerator) * UInt64(b.denominator) < UInt64(b.numerator) * UInt64(a.denominator)
  }

  public var description: String { "\(numerator)/\(denominator)" }
}
