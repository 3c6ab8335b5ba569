internal import CaptureCore

/// How much of the hardware a configuration takes, regardless of how much the hardware has. Computed from its arguments
/// alone.
struct CostDemand: Hashable, Sendable {
  /// Work of the processor that several threads can share.
  struct Work: Hashable, Sendable {
    var pixelsPerSecond = 0.0
    /// Threads that share the work: one for each output that needs it.
    var threads = 0

    mutating func add(_ pixels: Double) {
      pixelsPerSecond += pixels
      threads += 1
    }
  }

  var device: Device
  var format: DeviceFormat
  /// The rate that the camera is set to, frames per second. It is the rate that the driver confirmed where that is
  /// known.
  var rate: Rational
  var pixelsPerSecond: Double
  var usb: USBDemand?
  /// Bytes per second that are copied: every frame is copied once, at capture.
  var copied: Double
  var conversion = Work()
  var encoding = Work()

  /// - Returns: nil when the configuration has no camera, or `devices` does not contain its camera.
  init?(_ resolved: ResolvedConfiguration, devices: [Device]) {
    guard let input = resolved.input, let device = devices.first(where: { $0.id == input.deviceID }),
      let format = device.format(for: input.request)
    else { return nil }
    self.device = device
    self.format = format
    rate = input.frameRate
    let (size, rate) = (input.request.size, rate.value)
    pixelsPerSecond = Double(size.pixelCount) * rate
    usb = USBDemand(device: device, request: input.request, rate: input.frameRate)

    let published = format.convertedTo ?? format.pixelFormat
    copied = (Self.bytes(published, size) ?? 0) * rate
    if format.isConverted { conversion.add(pixelsPerSecond) }
    for output in resolved.outputs {
      // An output without an enabled connection gets no frames, so it takes nothing.
      guard let connection = output.connection, connection.isEnabled else { continue }
      let isTurned = connection.orientation != .asCaptured
      switch output.kind {
      case .preview:
        // Price one encoding at full size: all readers that ask for nothing else share it. The camera's own JPEG is
        // passed through unless it is turned.
        if !published.isCompressed || isTurned { encoding.add(pixelsPerSecond) }
      case .videoData(let data):
        // Price one conversion, which all readers share. Frames in the camera's own format are lent without a
        // conversion.
        let isConverted = data.askedFormat ?? published != published || data.range != nil
        if isConverted || isTurned { conversion.add(pixelsPerSecond) }
      case .movie(let movie):
        // Price a recording, although there may be none at the moment: a session that was accepted must be able to
        // record. The camera's own JPEG is only copied.
        if movie.codec != .motionJPEG { encoding.add(pixelsPerSecond) }
      case .photo:
        // A photo output works only now and then, so it adds nothing to a load that is continuous.
        continue
      }
    }
  }

  /// Bytes of one picture; nil for a format whose planes are not known. A compressed picture counts as half a byte per
  /// pixel, which is more than cameras send.
  static func bytes(_ format: PixelFormat, _ size: Size) -> Double? {
    if format.isCompressed { return Double(size.pixelCount) / 2 }
    return FrameLayout.packed(format, size).map { Double($0.byteCount) }
  }
}

extension USBDemand {
  /// Computes how much of its USB bus a stream takes; nil when the device is not on USB, or when the size of its format
  /// on the bus is not known.
  ///
  /// - Parameter rate: frames per second that the camera is set to.
  init?(device: Device, request: StreamRequest, rate: Rational) {
    guard let link = device.limits.usb, let bytes = CostDemand.bytes(request.pixelFormat, request.size) else {
      return nil
    }
    self.init(link: link, payload: bytes * rate.value)
  }
}

extension Device {
  fileprivate func format(for request: StreamRequest) -> DeviceFormat? {
    formats.first { $0.pixelFormat == request.pixelFormat && $0.supports(request.size) }
  }
}

extension PixelFormat {
  var isCompressed: Bool { self == .mjpeg || self == .jpeg }
}

extension DeviceFormat {
  /// Whether software converts the pixels that the camera sends. A format whose planes lie in several buffers (NM12 and
  /// its kin) needs no conversion: its planes are only joined while the frame is copied.
  fileprivate var isConverted: Bool {
    convertedTo != nil && !["NM12", "NM21", "YM12", "YM21", "YM16"].contains(pixelFormat.fourCC)
  }
}
