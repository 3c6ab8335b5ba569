import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests which format of a camera matches a query best. Clients ask with a size, a rate and a pixel format, each of
/// which they may leave out.
@Suite struct FormatQueryTests {
  private static let uhd = Size(width: 3840, height: 2160)
  private static let hd = Size(width: 1920, height: 1080)
  private static let vga = Size(width: 640, height: 480)

  /// A camera with formats as a good USB camera has them, and two binned formats.
  private let camera = Device.fake(formats: [
    .fake(.mjpeg, uhd, rates: [30, 15]), .fake(.mjpeg, hd, rates: [60, 30]), .fake(.yuyv, hd, rates: [5]),
    .fake(.yuyv, vga, rates: [30, 15]), .fake(.nv12, vga, rates: [60, 25]),
    .fake(.nv12, Size(width: 960, height: 540), rates: [120], isBinned: true),
    .fake(.nv12, hd, rates: [120], isBinned: true),
  ])

  /// The stream that matches the query; nil when no format does.
  private func match(_ size: Size?, _ rate: Rational?, _ format: PixelFormat? = nil) -> StreamRequest? {
    FormatQuery(size: size, frameRate: rate, pixelFormat: format).match(on: camera)
  }

  /// The size is the one of the query or the largest. Of the formats that fit, the one with the lowest sufficient rate
  /// wins, then one that is not binned, then the one that costs least to read.
  @Test(
    "B4: each query gets the expected format",
    arguments: [
      (nil, nil, nil, .mjpeg, uhd, 30),
      (hd, nil, nil, .mjpeg, hd, 30),
      (hd, 5, nil, .yuyv, hd, 5),
      (hd, 6, nil, .mjpeg, hd, 30),
      (hd, 30, nil, .mjpeg, hd, 30),
      (hd, 31, nil, .mjpeg, hd, 60),
      (hd, 61, nil, .nv12, hd, 120),
      (hd, 24, .mjpeg, .mjpeg, hd, 30),
      (vga, 15, nil, .yuyv, vga, 15),
      (vga, 20, nil, .nv12, vga, 25),
      (vga, 28, nil, .yuyv, vga, 30),
      (nil, 50, nil, .mjpeg, hd, 60),
      (nil, nil, .nv12, .nv12, hd, 120),
    ] as [(Size?, UInt32?, PixelFormat?, PixelFormat, Size, UInt32)])
  func eachQueryGetsTheExpectedFormat(
    size: Size?, rate: UInt32?, format: PixelFormat?, expected: PixelFormat, at: Size, with given: UInt32
  ) {
    #expect(
      match(size, rate.map { Rational($0, 1) }, format)
        == StreamRequest(pixelFormat: expected, size: at, frameRate: Rational(given, 1)))
  }

  /// A rate above all rates of the size, a size between two sizes, and a format that the camera lacks match nothing.
  @Test(
    "B4: a query that no format fits has no result",
    arguments: [
      (uhd, 31, nil), (Size(width: 641, height: 480), nil, nil), (nil, nil, .grey), (nil, 121, nil), (uhd, nil, .yuyv),
    ] as [(Size?, UInt32?, PixelFormat?)])
  func aQueryThatNoFormatFitsHasNoResult(size: Size?, rate: UInt32?, format: PixelFormat?) {
    #expect(match(size, rate.map { Rational($0, 1) }, format) == nil)
  }

  /// The rate for 1280 × 720 on a camera whose sizes and durations are ranges; nil when no format fits.
  private func ranged(_ durations: FrameDurations, _ rate: Rational) -> Rational? {
    let sizes = SizeRange(minimum: Size(width: 16, height: 16), maximum: Self.hd, step: Size(width: 16, height: 8))
    let format = DeviceFormat(
      pixelFormat: .yuyv, description: "", frameSize: .range(sizes), frameDurations: durations)
    return FormatQuery(size: Size(width: 1280, height: 720), frameRate: rate).match(on: .fake(formats: [format]))?
      .frameRate
  }

  /// Within a range of durations, the rate is the one that was asked for, or the next higher one on the range's steps.
  @Test func aRangeGivesTheLowestSufficientRate() {
    let any = FrameDurations.range(shortest: Rational(1, 60), longest: Rational(1, 10), step: nil)
    #expect(ranged(any, Rational(24_000, 1001)) == Rational(24_000, 1001))
    #expect(ranged(any, Rational(60, 1)) == Rational(60, 1))
    #expect(ranged(any, Rational(61, 1)) == nil)
    #expect(ranged(any, Rational(5, 1)) == Rational(10, 1), "10 frames per second is the lowest rate of the range")
    // The durations are 10, 20, 30 ms and so on. 33.3 ms is not among them, so 30 ms is the next faster one.
    let grid = FrameDurations.range(shortest: Rational(1, 100), longest: Rational(1, 1), step: Rational(1, 100))
    #expect(ranged(grid, Rational(30, 1)) == Rational(100, 3))
    #expect(ranged(grid, Rational(50, 1)) == Rational(50, 1))
  }

  /// A format that lists no rates cannot promise one, so it matches only a query without a rate.
  @Test func aFormatWithoutRatesMatchesOnlyWithoutARate() {
    let silent = Device.fake(formats: [.fake(.yuyv, Self.vga, rates: [])])
    #expect(FormatQuery(frameRate: Rational(1, 1)).match(on: silent) == nil)
    #expect(FormatQuery(size: Self.vga).match(on: silent)?.frameRate == Rational(30, 1))
  }
}
