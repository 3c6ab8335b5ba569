internal import CaptureCore

/// What a configuration takes of the hardware, whatever that can do. Pure.
struct CostDemand: Hashable, Sendable {
  /// Work of the processor that several threads may share.
  struct Work: Hashable, Sendable {
    var pixelsPerSecond = 0.0
    /// Threads that do it, one for each output.
    var threads = 0

    mutating func add(_ pixels: Double) {
      pixelsPerSecond += pixels
      threads += 1
    }
  }

  var device: Device
  var format: DeviceFormat
  /// What the camera is really set to.
  var rate: Rational
  var pixelsPerSecond: Double
  var usb: USBDemand?
  /// Bytes per second.
  var copied: Double
  var conversion = Work()
  var encoding = Work()

  /// - Returns: nil without a camera, or when it is not among `devices`.
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
      // What gets no frames takes nothing.
      guard let connection = output.connection, connection.isEnabled else { continue }
      let isTurned = connection.orientation != .asCaptured
      switch output.kind {
      case .preview:
        // One encoding at full size, which all readers who ask for nothing else share. The camera's own is passed through.
        if !published.isCompressed || isTurned { encoding.add(pixelsPerSecond) }
      case .videoData(let data):
        // One conversion for all readers. The camera's own frames are lent.
        let isConverted = data.askedFormat ?? published != published || data.range != nil
        if isConverted || isTurned { conversion.add(pixelsPerSecond) }
      case .photo:
        // Now and then, not for ever.
        continue
      }
    }
  }

  /// Bytes of one picture; for compressed ones half a byte a pixel, which is beyond what cameras send. Nil for formats
  /// whose planes are not known.
  static func bytes(_ format: PixelFormat, _ size: Size) -> Double? {
    if format.isCompressed { return Double(size.pixelCount) / 2 }
    return FrameLayout.packed(format, size).map { Double($0.byteCount) }
  }
}

extension USBDemand {
  /// Nil for devices that are not on USB, and for formats whose size on the bus is not known.
  ///
  /// - Parameter rate: what the camera is set to.
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
  /// Whether software makes other pixels of the camera's. Planes that lie apart (NM12) are only joined.
  fileprivate var isConverted: Bool {
    convertedTo != nil && !["NM12", "NM21", "YM12", "YM21", "YM16"].contains(pixelFormat.fourCC)
  }
}
