/// Finds cameras of one kind and opens them. The daemon has one for V4L2 and one for synthetic cameras.
public protocol DeviceProvider: Sendable {
  /// The cameras present now, each once, even when it has several nodes. Does not disturb a running stream.
  func devices() async -> [Device]

  /// The cameras as the provider last saw them. It asks no camera, so that none that does not answer delays the caller; it only
  /// waits for the first look at all.
  func knownDevices() async -> [Device]

  /// A camera as the provider last saw it: a start must not wait until every other camera was asked. One that is not known is
  /// looked for.
  func knownDevice(_ id: String) async -> Device?

  /// Changes from the moment of the call until the consumer stops iterating. A slow consumer loses the oldest changes,
  /// never blocks the provider: re-read ``devices()`` on each.
  func changes() -> AsyncStream<DeviceChange>

  /// What the device would deliver for `request`, without starting or claiming it (V4L2: `VIDIOC_TRY_FMT`).
  ///
  /// - Throws: `deviceNotFound`, `formatNotSupported`, `deviceDisconnected`, `deviceNotResponding`,
  ///   `deviceAccessDenied`.
  func resolve(_ request: StreamRequest, on deviceID: String) async throws(CaptureError) -> StreamFormat

  /// The device's controls with their present values, in the driver's order. A running stream is not disturbed.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected`, `deviceNotResponding`, `deviceInUse`, `deviceAccessDenied`,
  ///   `deviceFailed`.
  func controls(of deviceID: String) async throws(CaptureError) -> [Control]

  /// Sets controls one after the other, each on its own; a running stream goes on.
  ///
  /// - Returns: what became of each, in the order of `settings`.
  /// - Throws: those of ``controls(of:)``; nothing was set then.
  func set(_ settings: [ControlSetting], on deviceID: String) async throws(CaptureError) -> [ControlResult]

  /// Opens the device, sets format and rate, and starts streaming into `sink`. Returns after STREAMON.
  ///
  /// When it throws, everything it opened is closed again. Frames may reach `sink` before it returns.
  ///
  /// - Throws: those of ``resolve(_:on:)``, `deviceInUse`, `bandwidthExceeded`, `deviceFailed`.
  func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource

  /// How much longer it takes to prepare an output of a session with this device than the output's own work does. Only
  /// synthetic cameras declare any: they stand for machines with slow encoders and processors.
  func initDelay(ofOutput id: String, on deviceID: String) async -> Duration

  /// Does beforehand what the first start would have to do, as far as nobody notices: called once, at boot.
  func prewarm() async
}

extension DeviceProvider {
  public func knownDevices() async -> [Device] { await devices() }
  public func knownDevice(_ id: String) async -> Device? { await devices().first { $0.id == id } }
  public func initDelay(ofOutput id: String, on deviceID: String) async -> Duration { .zero }
  public func prewarm() async {}
}
