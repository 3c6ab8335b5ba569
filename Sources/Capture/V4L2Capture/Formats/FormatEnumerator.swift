internal import CV4L2
internal import CaptureCore

/// Lists the formats that a node can deliver: pixel formats × frame sizes × frame intervals.
struct FormatEnumerator {
  let node: VideoNode
  let interface: CaptureInterface

  /// An enumeration ends after this many elements. Some drivers never end an enumeration; no real device comes near
  /// this number.
  private static let limit: UInt32 = 512

  /// Every pixel format that the driver lists, with the driver's description, in the driver's order.
  func pixelFormats() -> [(format: PixelFormat, description: String)] {
    var found: [(PixelFormat, String)] = []
    for index in 0..<Self.limit {
      var description = v4l2_fmtdesc()
      description.index = index
      description.type = interface.bufferType
      guard succeeds(.enumerateFormats, &description) else { break }
      found.append((PixelFormat(rawValue: description.pixelformat), String(fixedArray: description.description)))
    }
    return found
  }

  /// Every format that the daemon can publish, in the driver's order. Empty when the driver lists none.
  func formats() -> [DeviceFormat] {
    var found: [DeviceFormat] = []
    for (pixelFormat, description) in pixelFormats() {
      guard let delivery = FrameAssembly(pixelFormat) else { continue }
      let published = delivery.publishedFormat(of: pixelFormat)
      for size in sizes(pixelFormat) {
        var format = DeviceFormat(
          pixelFormat: pixelFormat, description: description, frameSize: size,
          frameDurations: .discrete([]), convertedTo: published == pixelFormat ? nil : published)
        // For a range of sizes, the durations are those of the largest size, where frame rates are the lowest, so that
        // the camera can deliver each listed rate at each size.
        format.frameDurations = durations(pixelFormat, format.largestSize)
        found.append(format)
      }
    }
    return found
  }

  /// The durations that frames of `size` may have; `.discrete([])` when the driver does not tell.
  func durations(_ pixelFormat: PixelFormat, _ size: Size) -> FrameDurations {
    var discrete: [Rational] = []
    for index in 0..<Self.limit {
      var interval = v4l2_frmivalenum()
      interval.index = index
      interval.pixel_format = pixelFormat.rawValue
      interval.width = UInt32(size.width)
      interval.height = UInt32(size.height)
      guard succeeds(.enumerateFrameIntervals, &interval) else { break }
      switch interval.type {
      case V4L2_FRMIVAL_TYPE_DISCRETE.rawValue:
        discrete.append(Rational(interval.discrete))
      case V4L2_FRMIVAL_TYPE_CONTINUOUS.rawValue:
        return range(interval.stepwise, step: nil)
      default:
        return range(interval.stepwise, step: Rational(interval.stepwise.step))
      }
    }
    return .discrete(discrete.filter { $0.value > 0 }.sorted())
  }

  /// The durations of a range. `.discrete([])`, which means unknown, when the driver's two ends are not positive or not
  /// in order. An upper end without limit, which loopback devices give as 1/0, is valid.
  private func range(_ range: v4l2_frmival_stepwise, step: Rational?) -> FrameDurations {
    let (shortest, longest) = (Rational(range.min), Rational(range.max))
    guard shortest.value > 0, longest.numerator > 0, shortest <= longest else { return .discrete([]) }
    return .range(shortest: shortest, longest: longest, step: step)
  }

  /// The sizes of `pixelFormat`, each one or as one range; empty when the driver does not tell.
  private func sizes(_ pixelFormat: PixelFormat) -> [DeviceFormat.FrameSize] {
    var discrete: [DeviceFormat.FrameSize] = []
    for index in 0..<Self.limit {
      var size = v4l2_frmsizeenum()
      size.index = index
      size.pixel_format = pixelFormat.rawValue
      guard succeeds(.enumerateFrameSizes, &size) else { break }
      if size.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
        discrete.append(.discrete(Size(size.discrete.width, size.discrete.height)))
      } else {
        let range = size.stepwise
        return [
          .range(
            SizeRange(
              minimum: Size(range.min_width, range.min_height), maximum: Size(range.max_width, range.max_height),
              step: Size(range.step_width, range.step_height)))
        ]
      }
    }
    // TV grabbers list no sizes, but the size that such a device would deliver now is one that the device supports.
    if discrete.isEmpty, let current = try? DriverFormat(trying: pixelFormat, nil, on: node, interface),
      current.pixelFormat == pixelFormat
    {
      return [.discrete(current.size)]
    }
    return discrete
  }

  private func succeeds<Argument>(_ request: VideoRequest, _ argument: inout Argument) -> Bool {
    do { try node.perform(request, &argument) } catch { return false }
    return true
  }
}

extension Rational {
  init(_ fraction: v4l2_fract) { self.init(fraction.numerator, fraction.denominator) }
}

extension Size {
  init(_ width: UInt32, _ height: UInt32) { self.init(width: Int(width), height: Int(height)) }
}
