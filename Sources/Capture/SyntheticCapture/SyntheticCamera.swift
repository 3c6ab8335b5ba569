internal import CaptureCore
internal import Locking

/// One synthetic camera. Knows whether the camera is plugged in, which source streams from it and how it misbehaves.
/// Thread-safe.
final class SyntheticCamera: Sendable {
  let device: Device
  /// The index that ``device(_:usbMegabits:)`` got. The timecode board shows this number, whatever id an operator gave
  /// the camera.
  let number: UInt32
  private let configuration: SyntheticCameraConfiguration

  private struct State {
    var isPlugged = true
    var source: SyntheticSource?
  }
  private let state = Locked(State())
  private let faults = Locked(FaultPlan())
  let renderers = RendererShelf()
  private let settings: Locked<SensorSettings>

  /// The camera with this index, as it is when no operator has named it.
  ///
  /// - Parameter usbMegabits: the rate of the bus 0 on which the camera is; nil for none. Real buses count from 1.
  static func device(_ index: Int, usbMegabits: Int? = nil) -> Device {
    Device(
      id: "synthetic-\(index)", displayName: "Synthetic camera \(index)", type: .synthetic, driver: "synthetic",
      location: "software:\(index)", formats: SyntheticFormats.all,
      limits: DeviceLimits(
        sensorReadout: SyntheticFormats.sensorReadout,
        usb: usbMegabits.map { USBLink(bus: 0, megabitsPerSecond: Double($0), isochronousSettings: []) }))
  }

  init(_ device: Device, index: Int, configuration: SyntheticCameraConfiguration) {
    self.device = device
    number = UInt32(index)
    var configuration = configuration
    // Each camera has its own seed, so that two cameras of one daemon do not show the same noise.
    configuration.seed &+= UInt64(index) &* 0x9e37_79b9_7f4a_7c15
    self.configuration = configuration
    settings = Locked(SensorSettings(scene: configuration.scene))
  }

  var isPlugged: Bool { state.withLock(\.isPlugged) }

  func resolve(_ request: StreamRequest) throws(CaptureError) -> StreamFormat {
    guard isPlugged else { throw disconnected }
    return try mode(for: request).format
  }

  func start(_ request: StreamRequest, pool: FramePool, sink: any FrameSink) throws(CaptureError) -> SyntheticSource {
    let mode = try mode(for: request)
    let source = SyntheticSource(
      camera: self, configuration: configuration, mode: mode, pool: pool, patience: request.patience, sink: sink)
    let refusal: CaptureError? = state.withLock { state in
      if !state.isPlugged { return disconnected }
      if state.source != nil { return inUse }
      state.source = source
      return nil
    }
    if let refusal { throw refusal }
    do { try source.launch() } catch {
      sourceDidEnd(source)
      throw error
    }
    return source
  }

  /// Makes the renderer of a usual format (NV12, 1920 × 1080), so that the first stream need not make it. Takes
  /// milliseconds.
  func prewarm() {
    guard let layout = FrameLayout.packed(.nv12, Size(width: 1920, height: 1080)) else { return }
    let renderer = FrameRenderer(
      configuration: configuration, settings: sensorSettings, camera: number, layout: layout, isBinned: false)
    renderers.put(renderer, layout, isBinned: false)
  }

  func controls() throws(CaptureError) -> [Control] {
    guard isPlugged else { throw disconnected }
    return SyntheticControls.list(sensorSettings, standard: standardSettings)
  }

  func set(_ wanted: [ControlSetting]) throws(CaptureError) -> [ControlResult] {
    guard isPlugged else { throw disconnected }
    return settings.withLock { settings in
      wanted.map { SyntheticControls.set($0, in: &settings, standard: standardSettings, deviceID: device.id) }
    }
  }

  /// The settings with which the camera takes the next picture.
  var sensorSettings: SensorSettings { settings.withLock { $0 } }

  private var standardSettings: SensorSettings { SensorSettings(scene: configuration.scene) }

  /// Forgets `source`, unless another source took its place.
  func sourceDidEnd(_ source: SyntheticSource) {
    state.withLock { if $0.source === source { $0.source = nil } }
  }

  /// Plugs the camera in or out. Unplugging ends the running source with `deviceDisconnected` and resets the controls.
  ///
  /// - Returns: false when the camera was in that state already.
  func setPlugged(_ plugged: Bool) -> Bool {
    let (changed, source) = state.withLock { state in
      let changed = state.isPlugged != plugged
      state.isPlugged = plugged
      let source = plugged ? nil : state.source
      // The camera forgets the source at once, because a client can plug the device in and claim it again before the
      // old capture thread notices the loss.
      if !plugged { state.source = nil }
      return (changed, source)
    }
    // The controls go back to their defaults, as those of a camera that loses power.
    if !plugged { settings.withLock { $0 = standardSettings } }
    source?.lose(disconnected)
    return changed
  }

  /// Changes the fault plan, and wakes the capture thread so that the thread sees the change.
  func inject(_ change: @Sendable (inout FaultPlan) -> Void) {
    faults.withLock { change(&$0) }
    state.withLock(\.source)?.faultsDidChange()
  }

  var plan: FaultPlan { faults.withLock { $0 } }

  func takeFate() -> FaultPlan.Fate { faults.withLock { $0.takeFate() } }

  private func mode(for request: StreamRequest) throws(CaptureError) -> SyntheticSource.Mode {
    guard let format = SyntheticFormats.find(request.pixelFormat, request.size),
      let layout = SyntheticFormats.layout(request.pixelFormat, request.size)
    else {
      throw CaptureError(
        .formatNotSupported,
        "Device \(device.id) does not deliver \(request.pixelFormat) at \(request.size); GetDevice lists its formats.",
        metadata: ["device": device.id, "pixel_format": request.pixelFormat.fourCC, "size": "\(request.size)"])
    }
    let rate = SyntheticFormats.nearestRate(to: request.frameRate, of: format)
    return SyntheticSource.Mode(
      format: StreamFormat(devicePixelFormat: request.pixelFormat, layout: layout, frameRate: rate),
      isBinned: format.isBinned == true)
  }

  private var disconnected: CaptureError {
    CaptureError(
      .deviceDisconnected, "Device \(device.id) was unplugged; plug it in again.", metadata: ["device": device.id])
  }

  private var inUse: CaptureError {
    CaptureError(
      .deviceInUse, "Device \(device.id) is streaming already; stop that stream first.", metadata: ["device": device.id]
    )
  }
}

/// What synthetic cameras show and how they behave. The defaults make a well-behaved camera.
public struct SyntheticCameraConfiguration: Hashable, Sendable {
  /// The content of the picture below the timecode board.
  public enum Scene: String, Hashable, Sendable, CaseIterable {
    /// Running lights and falling dominoes, from which a person can read the time.
    case lightboard
    /// A detailed chart that never changes; see ``StillScene/truth(pixelFormat:size:isBinned:)``.
    case still
    /// Colour bars of known values; see ``BarsScene/colors``.
    case bars
  }

  /// The content of the picture below the timecode board.
  public var scene: Scene
  /// The standard deviation of the sensor noise at middle grey (Y 126), in 8-bit code values, 0…10. A value outside of
  /// this range counts as the nearest value within it. 0 turns noise off.
  ///
  /// For luma, the variance is `noise² · (0.2 + 0.8 · (Y − 16) / 110)`. The first part is the noise of reading the
  /// sensor out; the second part grows with the light, as shot noise does. Chroma has half the deviation, whatever the
  /// light.
  public var noise: Double
  /// The seed of the noise. Two streams of the same seed, device and format carry the same noise, frame by frame.
  public var seed: UInt64

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - scene: the content of the picture below the timecode board.
  ///   - noise: the standard deviation of the sensor noise, 0…10; see ``noise``.
  ///   - seed: the seed of the noise; see ``seed``.
  public init(scene: Scene = .lightboard, noise: Double = 1.5, seed: UInt64 = 0) {
    self.scene = scene
    self.noise = noise
    self.seed = seed
  }
}
