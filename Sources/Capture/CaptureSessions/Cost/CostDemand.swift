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

  /// What one camera takes.
  struct Camera: Hashable, Sendable {
    var device: Device
    var format: DeviceFormat
    /// The id of the input.
    var input: String
    /// The rate that the camera is set to, frames per second. It is the rate that the driver confirmed where that is
    /// known.
    var rate: Rational
    var pixelsPerSecond: Double
    var usb: USBDemand?
    /// Bytes per second that are copied: every frame is copied once, at capture.
    var copied: Double
  }

  /// The cameras of the configuration that run while the session does, in order.
  private(set) var cameras: [Camera] = []
  /// All cameras of the configuration, also those that do not run.
  private(set) var devices: [Device]
  private(set) var conversion = Work()
  private(set) var encoding = Work()

  var copied: Double { cameras.reduce(0) { $0 + $1.copied } }

  /// - Returns: nil when the configuration has no camera, or `devices` does not contain all its cameras.
  init?(_ resolved: ResolvedConfiguration, devices: [Device]) {
    guard !resolved.inputs.isEmpty else { return nil }
    self.devices = []
    for (place, input) in resolved.inputs.enumerated() {
      switch input.source {
      case .composed(let layout):
        if resolved.isUsed(at: place) { add(layout, input, at: place, resolved) }
      case .device(let id):
        guard let device = devices.first(where: { $0.id == id }), let format = device.format(for: input.request) else {
          return nil
        }
        self.devices.append(device)
        // A camera whose frames no output takes is closed. One that opens with deferred start counts, because it will.
        if resolved.isUsed(at: place) { add(input, device, format, at: place, resolved) }
      }
    }
  }

  private mutating func add(
    _ input: ResolvedConfiguration.Input, _ device: Device, _ format: DeviceFormat, at place: Int,
    _ resolved: ResolvedConfiguration
  ) {
    let (size, rate) = (input.request.size, input.frameRate.value)
    let pixelsPerSecond = Double(size.pixelCount) * rate
    let published = format.convertedTo ?? format.pixelFormat
    cameras.append(
      Camera(
        device: device, format: format, input: input.id, rate: input.frameRate, pixelsPerSecond: pixelsPerSecond,
        usb: USBDemand(device: device, request: input.request, rate: input.frameRate),
        copied: (Self.bytes(published, size) ?? 0) * rate))
    if format.isConverted { conversion.add(pixelsPerSecond) }
    addOutputs(at: place, resolved, published, pixelsPerSecond)
  }

  /// Adds a composition: each pixel of each layer is converted once. Its rate is that of the priced configuration, in
  /// which its first layer's camera may have another rate than the session's.
  private mutating func add(
    _ layout: CompositionLayout, _ input: ResolvedConfiguration.Input, at place: Int, _ resolved: ResolvedConfiguration
  ) {
    let rate = (resolved.pace(of: input)?.rate ?? input.frameRate).value
    let composed = layout.layers.reduce(0) { $0 + $1.rectangle.size.pixelCount }
    conversion.add(Double(composed) * rate)
    addOutputs(at: place, resolved, .nv12, Double(layout.size.pixelCount) * rate)
  }

  /// Adds what the outputs of an input take.
  ///
  /// - Parameters:
  ///   - published: the pixel format of the input's frames.
  ///   - pixelsPerSecond: those of the input.
  private mutating func addOutputs(
    at place: Int, _ resolved: ResolvedConfiguration, _ published: PixelFormat, _ pixelsPerSecond: Double
  ) {
    for output in resolved.outputs where output.camera == place {
      // An output without an enabled connection gets no frames, so it takes nothing.
      guard let connection = output.connection, connection.isEnabled else { continue }
      let isTurned = connection.orientation != .asCaptured
      switch output.kind {
      case .preview:
        // Price one encoding at full size: all readers that ask for nothing else share it. The camera's own JPEG is
        // passed through unless it is turned.
        if !published.isCompressed || isTurned { encoding.add(pixelsPerSecond) }
        // Readers of JPEG have coded video decoded.
        if published.isVideo { conversion.add(pixelsPerSecond) }
      case .videoData(let data):
        // Price one conversion, which all readers share. Frames in the camera's own format are lent without a
        // conversion.
        let isConverted = published.isVideo || data.askedFormat ?? published != published || data.range != nil
        if isConverted || isTurned { conversion.add(pixelsPerSecond) }
      case .movie(let movie):
        // Price a recording, although there may be none at the moment: a session that was accepted must be able to
        // record. The camera's own JPEG and its own video are only copied.
        let isPassed =
          published.isVideo && movie.codec.pixelFormat == published && movie.averageBitRate == nil
          && movie.maxPreRoll == 0
        if movie.codec != .motionJPEG, !isPassed { encoding.add(pixelsPerSecond) }
      case .photo:
        // A photo output works only now and then, so it adds nothing to a load that is continuous.
        continue
      }
    }
  }

  /// Bytes of one picture; nil for a format whose planes are not known. A compressed picture counts as half a byte per
  /// pixel and coded video as an eighth, which is more than cameras send.
  static func bytes(_ format: PixelFormat, _ size: Size) -> Double? {
    if format.isVideo { return Double(size.pixelCount) / 8 }
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
