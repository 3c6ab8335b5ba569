internal import CaptureCore

/// One mode of a camera: a pixel format at a size and a rate.
struct DeviceMode: Hashable {
  var format: DeviceFormat
  var size: Size
  var rate: Rational

  var pixelsPerSecond: Double { Double(size.pixelCount) * rate.value }

  var request: StreamRequest { StreamRequest(pixelFormat: format.pixelFormat, size: size, frameRate: rate) }

  /// Returns the modes of `device`. A range of sizes or rates contributes its maximum and the usual values in it,
  /// because a driver may allow thousands.
  static func all(of device: Device) -> [DeviceMode] {
    device.formats.flatMap { format in
      sizes(of: format).flatMap { size in
        rates(of: format).map { DeviceMode(format: format, size: size, rate: $0) }
      }
    }
  }

  /// Returns the rates of `format` in frames per second, fastest first.
  static func rates(of format: DeviceFormat) -> [Rational] {
    switch format.frameDurations {
    case .discrete(let durations):
      return durations.map(\.reciprocal).sorted(by: >)
    case .range(let shortest, let longest, _):
      let usual: [UInt32] = [60, 50, 30, 25, 24, 15, 10, 5]
      let inside = usual.map { Rational($0, 1) }.filter { longest.reciprocal...shortest.reciprocal ~= $0 }
      return (inside.first == shortest.reciprocal ? [] : [shortest.reciprocal]) + inside
    }
  }

  /// Returns the sizes of `format`, largest first.
  static func sizes(of format: DeviceFormat) -> [Size] {
    switch format.frameSize {
    case .discrete(let size): return [size]
    case .range(let range):
      let usual = [(3840, 2160), (1920, 1080), (1280, 720), (640, 480), (640, 360), (320, 240)]
      let inside = usual.map { Size(width: $0.0, height: $0.1) }.filter(range.contains)
      return (inside.first == range.maximum ? [] : [range.maximum]) + inside
    }
  }
}

extension DeviceMode: CustomStringConvertible {
  /// The mode as text, for example `"NV12 3840x2160@30"`.
  var description: String { "\(format.pixelFormat) \(size)@\(rate.shortText)" }
}

extension Rational {
  /// The number with at most two decimals, for example `"30"` or `"29.97"`.
  var shortText: String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole)." + (rest < 10 ? "0" : "") + "\(rest)"
  }
}
