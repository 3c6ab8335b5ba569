import CV4L2
import CaptureCore
import Testing

@testable import V4L2Capture

/// The formats of a device that the daemon makes of what the driver enumerates.
@Suite struct FormatEnumeratorTests {
  private let vga = Size(width: 640, height: 480)

  private func formats(_ camera: FakeKernel.Camera) throws -> [DeviceFormat] {
    let node = try VideoNode(opening: "/dev/video0", with: FakeKernel(camera))
    defer { node.close() }
    return FormatEnumerator(
      node: node, interface: camera.isMultiPlanar ? .multiPlanar : .singlePlanar
    ).formats()
  }

  @Test func discreteSizesAndIntervalsAreListed() throws {
    var camera = FakeKernel.Camera()
    camera.formats = [
      .init(
        "YUYV", sizes: [.discrete(vga), .discrete(Size(width: 320, height: 240))],
        durations: .discrete([Rational(1, 15), Rational(1, 30)]))
    ]
    let found = try formats(camera)
    #expect(found.map(\.frameSize) == [.discrete(vga), .discrete(Size(width: 320, height: 240))])
    #expect(found.allSatisfy { $0.pixelFormat == .yuyv && $0.convertedTo == nil })
    // Durations are listed from the shortest on, whatever the driver's order.
    #expect(found[0].frameDurations == .discrete([Rational(1, 30), Rational(1, 15)]))
  }

  @Test func rangesOfSizesAndIntervalsAreListed() throws {
    let stepwise = SizeRange(minimum: Size(width: 16, height: 16), maximum: vga, step: Size(width: 16, height: 8))
    let continuous = SizeRange(minimum: Size(width: 1, height: 1), maximum: vga, step: Size(width: 1, height: 1))
    var camera = FakeKernel.Camera()
    camera.formats = [
      .init(
        "YUYV", sizes: [.range(stepwise)],
        durations: .range(shortest: Rational(1, 60), longest: Rational(1, 1), step: nil)),
      .init(
        "GREY", sizes: [.range(continuous)],
        durations: .range(shortest: Rational(1, 60), longest: Rational(1, 1), step: Rational(1, 60))),
    ]
    let found = try formats(camera)
    #expect(found.map(\.frameSize) == [.range(stepwise), .range(continuous)])
    #expect(found[0].frameDurations == .range(shortest: Rational(1, 60), longest: Rational(1, 1), step: nil))
    #expect(
      found[1].frameDurations == .range(shortest: Rational(1, 60), longest: Rational(1, 1), step: Rational(1, 60)))
  }

  /// A range with a zero in it, or whose shortest duration is longer than the longest one, counts as unknown. The
  /// format then has no durations.
  @Test(arguments: [
    (Rational(0, 0), Rational(0, 0)), (Rational(0, 1), Rational(1, 1)), (Rational(1, 30), Rational(0, 1)),
    (Rational(1, 5), Rational(1, 30)),
  ])
  func impossibleRangesOfIntervalsAreUnknown(_ shortest: Rational, _ longest: Rational) throws {
    var camera = FakeKernel.Camera()
    camera.formats[0].durations = .range(shortest: shortest, longest: longest, step: nil)
    #expect(try formats(camera)[0].frameDurations == .discrete([]))
  }

  /// A driver may give the longest duration as 1/0, which stands for no limit. Then every low rate is possible.
  @Test func aRangeWithoutALongestDurationHasEveryLowRate() throws {
    var camera = FakeKernel.Camera()
    camera.formats[0].durations = .range(shortest: Rational(1, 1000), longest: Rational(1, 0), step: nil)
    let durations = try formats(camera)[0].frameDurations
    #expect(durations.nearest(toRate: Rational(1, 60)) == Rational(60, 1))
  }

  /// Formats that the daemon can convert are listed with the format that readers get. Formats that it can neither
  /// deliver nor convert are left out.
  @Test func otherFormatsAreConvertedOrLeftOut() throws {
    var camera = FakeKernel.Camera()
    camera.formats = ["H264", "RGBP", "MJPG", "VP80", "NM12"].map { .init($0, sizes: [.discrete(vga)]) }
    let found = try formats(camera)
    #expect(found.map(\.pixelFormat.fourCC) == ["H264", "RGBP", "MJPG", "NM12"])
    #expect(found.map(\.convertedTo) == [nil, .yuv420, nil, .nv12])
  }

  /// Luma alone is delivered as the camera gives it. Samples that are packed into fewer bits are converted or left out.
  @Test func wideGreyIsNotConverted() throws {
    var camera = FakeKernel.Camera()
    camera.formats = ["GREY", "Y10", "Y12", "Y14", "Y16", "Y16-BE", "Y10B", "Y10P"].map {
      .init($0, sizes: [.discrete(vga)])
    }
    let found = try formats(camera)
    #expect(found.map(\.pixelFormat.fourCC) == ["GREY", "Y10", "Y12", "Y14", "Y16", "Y16-BE", "Y10B"])
    #expect(found.map(\.convertedTo) == [nil, nil, nil, nil, nil, nil, .yuv420])
  }

  /// Some drivers enumerate formats without sizes. The size that VIDIOC_G_FMT answers then stands for the format.
  @Test func aDriverThatListsNoSizesHasItsPresentSize() throws {
    var camera = FakeKernel.Camera()
    camera.formats = [.init("YUYV", durations: .discrete([]))]
    let found = try formats(camera)
    #expect(found.map(\.frameSize) == [.discrete(Size(width: 64, height: 48))])
    #expect(found[0].frameDurations == .discrete([]))
  }

  /// Of the durations of a format, the daemon takes the one that is nearest to the rate that a client asks for. Without
  /// durations, or for the rate 0, there is none.
  @Test func theDurationNearestToARateIsTaken() {
    let discrete = FrameDurations.discrete([Rational(1, 60), Rational(1, 30), Rational(1, 5)])
    #expect(discrete.nearest(toRate: Rational(25, 1)) == Rational(1, 30))
    #expect(discrete.nearest(toRate: Rational(1, 1)) == Rational(1, 5))
    #expect(discrete.nearest(toRate: Rational(240, 1)) == Rational(1, 60))
    let range = FrameDurations.range(shortest: Rational(1, 60), longest: Rational(1, 2), step: nil)
    #expect(range.nearest(toRate: Rational(24, 1)) == Rational(1, 24))
    #expect(range.nearest(toRate: Rational(100, 1)) == Rational(1, 60))
    #expect(range.nearest(toRate: Rational(1, 1)) == Rational(1, 2))
    #expect(FrameDurations.discrete([]).nearest(toRate: Rational(30, 1)) == nil)
    #expect(discrete.nearest(toRate: Rational(0, 1)) == nil)
  }
}
