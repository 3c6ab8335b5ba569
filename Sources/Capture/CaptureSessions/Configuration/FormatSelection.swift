internal import CaptureCore

/// Picks the request to make to a device. Depends on its arguments alone.
enum FormatSelection {
  /// A concrete format of a device: one pixel format at one size.
  struct Candidate: Hashable {
    var format: DeviceFormat
    var size: Size
  }

  /// Returns the request for an explicit format, or `formatNotSupported` when the device lacks the format or the rate.
  static func request(
    _ wanted: SessionConfiguration.Format, rate: Rational?, on device: Device
  ) -> Result<StreamRequest, CaptureError> {
    let candidates = device.formats.filter { $0.pixelFormat == wanted.pixelFormat && $0.supports(wanted.size) }
      .map { Candidate(format: $0, size: wanted.size) }
    guard let candidate = candidates.first(where: { $0.offers(rate) }) ?? candidates.first else {
      return .failure(
        CaptureError(
          .formatNotSupported,
          "Device \(device.id) does not deliver \(wanted.pixelFormat) at \(wanted.size); GetDevice lists its formats.",
          metadata: ["device": device.id, "pixel_format": wanted.pixelFormat.fourCC, "size": "\(wanted.size)"],
          field: "format"))
    }
    return streamRequest(candidate, rate: rate, on: device)
  }

  /// Returns the request that a preset makes, from the formats that offer `rate` where any does, else from all formats.
  /// Fails with `formatNotSupported` when no format fits the preset or the rate.
  static func request(
    _ preset: SessionPreset, rate: Rational?, on device: Device
  ) -> Result<StreamRequest, CaptureError> {
    let listed = device.formats.filter { $0.isBinned != true }
    // Coded video has to be decoded for all but live video and movies, so a preset takes it only from a camera that has
    // nothing else.
    let whole = listed.filter { !$0.pixelFormat.isVideo }
    let candidates = (whole.isEmpty ? listed : whole).flatMap { format in
      sizes(of: format, for: preset).map { Candidate(format: format, size: $0) }
    }
    let fitting = candidates.filter { $0.offers(rate) }
    guard let best = pick(preset, from: fitting) ?? pick(preset, from: candidates) else {
      return .failure(
        CaptureError(
          .formatNotSupported, "Device \(device.id) has no format for this preset; name a format instead.",
          metadata: ["device": device.id, "preset": "\(preset)"], field: "preset"))
    }
    return streamRequest(best, rate: rate, on: device)
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

  /// Orders candidates by `key`, then by how cheaply Firstlight reads their format. Equal candidates keep the driver's
  /// order of preference.
  private static func order(_ a: Candidate, _ b: Candidate, by key: (Candidate) -> (Int, Int)) -> Bool {
    let (ka, kb) = (key(a), key(b))
    return (ka.0, ka.1, ease(a.format)) < (kb.0, kb.1, ease(b.format))
  }

  /// Returns how cheaply Firstlight reads a format; more is cheaper. Raw 4:2:x formats are cheapest. Compressed formats
  /// suit cameras whose raw pictures come too slowly. Formats that must be converted cost more, and so do those of wide
  /// grey, which every picture is converted from. Coded video costs most.
  static func ease(_ format: DeviceFormat) -> Int {
    if format.pixelFormat.isVideo { return -1 }
    if format.convertedTo != nil || format.pixelFormat.isWideGrey { return 0 }
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

  /// Returns the highest rate in frames per second; 0 when the device lists none.
  static func fastest(_ format: DeviceFormat) -> Double {
    switch format.frameDurations {
    case .discrete(let durations): durations.map(\.reciprocal.value).max() ?? 0
    case .range(let shortest, _, _): shortest.reciprocal.value
    }
  }

  private static func streamRequest(
    _ candidate: Candidate, rate: Rational?, on device: Device
  ) -> Result<StreamRequest, CaptureError> {
    var request = StreamRequest(
      pixelFormat: candidate.format.pixelFormat, size: candidate.size, frameRate: rate ?? defaultRate(candidate.format))
    guard let rate, candidate.tellsRates else { return .success(request) }
    guard let offered = candidate.format.frameDurations.offered(rate) else {
      return .failure(.rateNotOffered(rate, request, device: device.id, candidate.format.frameDurations))
    }
    request.frameRate = offered
    return .success(request)
  }

  /// Returns the highest rate that is at most 30 frames per second, or the lowest rate when all are higher; 30 when the
  /// device lists none.
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

extension FormatSelection.Candidate {
  /// Whether the rates that the device lists are valid for exactly this size. For a range of sizes a device lists the
  /// rates of the largest size, which are the lowest.
  fileprivate var tellsRates: Bool { size == format.largestSize }

  /// Whether the format offers `rate` as far as its rates are known. A nil `rate` accepts every format.
  fileprivate func offers(_ rate: Rational?) -> Bool {
    guard let rate, tellsRates else { return true }
    return format.frameDurations.offered(rate) != nil
  }
}

extension CaptureError {
  /// Returns the error for a rate that the camera does not have in a format.
  ///
  /// - Parameter durations: the frame durations that the camera has; the message names them as rates.
  static func rateNotOffered(
    _ rate: Rational, _ request: StreamRequest, device: String, _ durations: FrameDurations
  ) -> CaptureError {
    let offered =
      switch durations {
      case .discrete(let all): all.map(\.reciprocal.shortText).joined(separator: ", ")
      case .range(let shortest, let longest, _):
        "\(longest.reciprocal.shortText) to \(shortest.reciprocal.shortText)"
      }
    return CaptureError(
      .formatNotSupported,
      "\(device) delivers \(request.pixelFormat) at \(request.size) with \(offered) frames per second, not with "
        + "\(rate.shortText); name one of those, or none.",
      metadata: [
        "device": device, "pixel_format": request.pixelFormat.fourCC, "size": "\(request.size)",
        "frame_rate": "\(rate)",
        "frame_rates": offered,
      ], field: "frame_rate_override")
  }
}

/// How to pick the format of an input that names none.
public enum SessionPreset: Hashable, Sendable, CaseIterable {
  /// The largest format, at any rate.
  case photo
  /// The largest format up to 1920 × 1080 that reaches 24 frames per second, or the fastest one where none does.
  case high
  /// The format whose number of pixels is nearest to 640 × 480.
  case medium
  /// The format whose number of pixels is nearest to 320 × 240.
  case low
  case hd720p, hd1080p, hd4K
  /// The format that the input names.
  case inputPriority
}
