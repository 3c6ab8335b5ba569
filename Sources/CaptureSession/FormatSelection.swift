internal import CaptureCore

/// Picks what to ask a device for. Pure.
enum FormatSelection {
  /// A concrete format of a device: one pixel format at one size.
  struct Candidate: Hashable {
    var format: DeviceFormat
    var size: Size
  }

  /// The request for an explicit format.
  static func request(
    _ wanted: SessionConfiguration.Format, rate: Rational?, on device: Device
  ) -> Result<StreamRequest, CaptureError> {
    let offered = device.formats.filter { $0.pixelFormat == wanted.pixelFormat && $0.supports(wanted.size) }
    guard let format = offered.first else {
      return .failure(
        CaptureError(
          .formatNotSupported,
          "Device \(device.id) does not deliver \(wanted.pixelFormat) at \(wanted.size); GetDevice lists its formats.",
          metadata: ["device": device.id, "pixel_format": wanted.pixelFormat.fourCC, "size": "\(wanted.size)"],
          field: "format"))
    }
    return .success(streamRequest(Candidate(format: format, size: wanted.size), rate: rate))
  }

  /// The request a preset makes.
  static func request(
    _ preset: SessionPreset, rate: Rational?, on device: Device
  ) -> Result<StreamRequest, CaptureError> {
    let candidates = device.formats.filter { $0.isBinned != true }.flatMap { format in
      sizes(of: format, for: preset).map { Candidate(format: format, size: $0) }
    }
    guard let best = pick(preset, from: candidates) else {
      return .failure(
        CaptureError(
          .formatNotSupported, "Device \(device.id) has no format for this preset; name a format instead.",
          metadata: ["device": device.id, "preset": "\(preset)"], field: "preset"))
    }
    return .success(streamRequest(best, rate: rate))
  }

  private static func pick(_ preset: SessionPreset, from candidates: [Candidate]) -> Candidate? {
    switch preset {
    case .photo, .inputPriority:
      return candidates.max { order($0, $1, by: { ($0.size.pixelCount, 0) }) }
    case .high:
      let fitting = candidates.filter { $0.size.width <= 1920 && $0.size.height <= 1080 }
      let fluent = fitting.filter { fastest($0.format) >= 24 || fastest($0.format) == 0 }
      if fluent.isEmpty { return fitting.max { fastest($0.format) < fastest($1.format) } ?? candidates.first }
      return fluent.max { order($0, $1, by: { ($0.size.pixelCount, 0) }) }
    case .medium: return nearest(to: Size(width: 640, height: 480), candidates)
    case .low: return nearest(to: Size(width: 320, height: 240), candidates)
    case .hd720p: return exact(Size(width: 1280, height: 720), candidates)
    case .hd1080p: return exact(Size(width: 1920, height: 1080), candidates)
    case .hd4K: return exact(Size(width: 3840, height: 2160), candidates)
    }
  }

  private static func exact(_ size: Size, _ candidates: [Candidate]) -> Candidate? {
    candidates.filter { $0.size == size }.max { order($0, $1, by: { (0, Int(min(fastest($0.format), 30))) }) }
  }

  private static func nearest(to size: Size, _ candidates: [Candidate]) -> Candidate? {
    candidates.max { order($0, $1, by: { (-abs($0.size.pixelCount - size.pixelCount), 0) }) }
  }

  /// By `key`, then by how cheaply the format is read here. Equal ones keep the driver's order of preference.
  private static func order(_ a: Candidate, _ b: Candidate, by key: (Candidate) -> (Int, Int)) -> Bool {
    let (ka, kb) = (key(a), key(b))
    return (ka.0, ka.1, ease(a.format)) < (kb.0, kb.1, ease(b.format))
  }

  /// Raw 4:2:x formats cost least; compressed ones fit where raw is too slow; converted ones cost most.
  static func ease(_ format: DeviceFormat) -> Int {
    if format.convertedTo != nil { return 0 }
    switch format.pixelFormat {
    case .nv12, .yuv420: return 5
    case .yuyv, .uyvy, .nv21, .yvu420: return 4
    case .yuv422p: return 3
    case .mjpeg, .jpeg: return 2
    default: return 1
    }
  }

  private static func sizes(of format: DeviceFormat, for preset: SessionPreset) -> [Size] {
    switch format.frameSize {
    case .discrete(let size): return [size]
    case .range(let range):
      let wanted: [Size] =
        switch preset {
        case .photo, .inputPriority: [range.maximum]
        case .high, .hd1080p: [Size(width: 1920, height: 1080), Size(width: 1280, height: 720)]
        case .medium: [Size(width: 640, height: 480)]
        case .low: [Size(width: 320, height: 240)]
        case .hd720p: [Size(width: 1280, height: 720)]
        case .hd4K: [Size(width: 3840, height: 2160)]
        }
      let fitting = wanted.filter(range.contains)
      return fitting.isEmpty ? [range.maximum] : fitting
    }
  }

  /// Frames per second, 0 when the device does not say.
  static func fastest(_ format: DeviceFormat) -> Double {
    switch format.frameDurations {
    case .discrete(let durations): durations.map(\.reciprocal.value).max() ?? 0
    case .range(let shortest, _, _): shortest.reciprocal.value
    }
  }

  private static func streamRequest(_ candidate: Candidate, rate: Rational?) -> StreamRequest {
    StreamRequest(
      pixelFormat: candidate.format.pixelFormat, size: candidate.size, frameRate: rate ?? defaultRate(candidate.format))
  }

  /// The highest rate that is at most 30; 30 where the device does not say.
  static func defaultRate(_ format: DeviceFormat) -> Rational {
    let limit = Rational(30, 1)
    switch format.frameDurations {
    case .discrete(let durations):
      let rates = durations.map(\.reciprocal)
      return rates.filter { $0 <= limit }.max() ?? rates.min() ?? limit
    case .range(let shortest, let longest, _):
      return min(max(limit, longest.reciprocal), shortest.reciprocal)
    }
  }
}
