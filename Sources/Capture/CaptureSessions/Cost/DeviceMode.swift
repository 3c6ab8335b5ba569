internal import CaptureCore

/// One thing a camera can be set to: a pixel format at a size and a rate.
struct DeviceMode: Hashable {
  var format: DeviceFormat
  var size: Size
  var rate: Rational

  var pixelsPerSecond: Double { Double(size.pixelCount) * rate.value }

  var request: StreamRequest { StreamRequest(pixelFormat: format.pixelFormat, size: size, frameRate: rate) }

  /// Everything `device` can be set to. Of ranges the usual values: a driver may have thousands.
  static func all(of device: Device) -> [DeviceMode] {
    device.formats.flatMap { format in
      sizes(of: format).flatMap { size in
        rates(of: format).map { DeviceMode(format: format, size: size, rate: $0) }
      }
    }
  }

  /// Frames per second, fastest first.
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

  /// Largest first.
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
  /// `"NV12 3840x2160@30"`.
  var description: String { "\(format.pixelFormat) \(size)@\(rate.shortText)" }
}

extension Rational {
  /// With at most two decimals: `"30"`, `"29.97"`.
  var shortText: String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole)." + (rest < 10 ? "0" : "") + "\(rest)"
  }
}
