public import CaptureCore
internal import Synchronization

/// A `DeviceProvider` without cameras of its own: a test decides when a camera is connected, disconnected, started and
/// broken. Thread-safe.
public final class FakeProvider: DeviceProvider {
  /// Every source that the provider started, in order.
  public let sources = Recorder<FakeSource>()
  /// A gate before a source starts. While the gate is closed, ``start(_:on:pool:sink:)`` does not return; the gate's
  /// ``Gate/arrivals`` count the calls that passed ``resolve(_:on:)``.
  public let starting = Gate()
  /// A gate after a source started. While the gate is closed, ``start(_:on:pool:sink:)`` does not return, although the
  /// source streams already.
  public let started = Gate()
  /// One element for each call of ``devices()``, the only method that asks every camera.
  public let looks = Recorder<Void>()

  private struct State {
    var devices: [Device]
    var live: [String: FakeSource] = [:]
    var controls: [String: [Control]] = [:]
    var startFailure: (error: CaptureError, device: String?)?
    var resolveFailure: CaptureError?
    var rates: [String: Rational] = [:]
    var listeners: [UInt64: AsyncStream<DeviceChange>.Continuation] = [:]
    var lastListener: UInt64 = 0
  }
  private let state: Mutex<State>

  /// Creates a provider to which `devices` are connected.
  public init(devices: [Device] = [.fake()]) { state = Mutex(State(devices: devices)) }

  /// Makes starts throw `error`, until a test calls this method with nil. Starts that have not yet passed the gate
  /// ``starting`` throw too.
  ///
  /// - Parameter device: the id of the device whose starts fail; nil for all devices.
  public func failStarts(_ error: CaptureError?, of device: String? = nil) {
    state.withLock { $0.startFailure = error.map { ($0, device) } }
  }

  /// Replaces the controls of a device.
  public func setControls(_ controls: [Control], of device: String) {
    state.withLock { $0.controls[device] = controls }
  }

  /// Makes later sources of a device stream at `rate` whatever they are asked for, as the sources of some drivers do.
  public func setRate(_ rate: Rational, of device: String) { state.withLock { $0.rates[device] = rate } }

  /// Makes every ``resolve(_:on:)`` throw `error`, until a test calls this method with nil. ``start(_:on:pool:sink:)``
  /// resolves first, so starts throw `error` too.
  public func failResolving(_ error: CaptureError?) { state.withLock { $0.resolveFailure = error } }

  /// Adds a device, or replaces the device with the same id, and reports the change to the listeners of ``changes()``.
  public func connect(_ device: Device) {
    let (known, listeners) = state.withLock { state in
      let known = state.devices.contains { $0.id == device.id }
      state.devices.removeAll { $0.id == device.id }
      state.devices.append(device)
      return (known, Array(state.listeners.values))
    }
    for listener in listeners { listener.yield(DeviceChange(known ? .changed : .connected, device)) }
  }

  /// Removes a device from the list, ends its source as a lost device does, and reports the change to the listeners of
  /// ``changes()``. An unknown id has no effect.
  public func disconnect(_ id: String) {
    let (device, source, listeners) = state.withLock { state in
      let device = state.devices.first { $0.id == id }
      state.devices.removeAll { $0.id == id }
      return (device, state.live[id], Array(state.listeners.values))
    }
    guard let device else { return }
    source?.lose()
    for listener in listeners { listener.yield(DeviceChange(.disconnected, device)) }
  }

  /// All connected devices. The call is recorded in ``looks``.
  public func devices() async -> [Device] {
    looks.append(())
    return state.withLock(\.devices)
  }

  /// All connected devices. The call is not recorded, because a real provider asks no camera for this answer.
  public func knownDevices() async -> [Device] { state.withLock(\.devices) }

  /// The connected device with this id; nil when there is none. The call is not recorded.
  public func knownDevice(_ id: String) async -> Device? { state.withLock { $0.devices.first { $0.id == id } } }

  /// The changes from the moment of the call on. A listener that is too slow keeps the newest 64.
  public func changes() -> AsyncStream<DeviceChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: DeviceChange.self, bufferingPolicy: .bufferingNewest(64))
    let id = state.withLock { state in
      state.lastListener += 1
      state.listeners[state.lastListener] = continuation
      return state.lastListener
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
    return stream
  }

  /// The stream that the device would deliver: the format, the size and the rate of `request`.
  ///
  /// - Throws: the error of ``failResolving(_:)``; `deviceNotFound`; `formatNotSupported` when the device does not list
  ///   the format and size. The rate is not checked.
  public func resolve(_ request: StreamRequest, on deviceID: String) async throws(CaptureError) -> StreamFormat {
    let (device, failure) = state.withLock { state in
      (state.devices.first { $0.id == deviceID }, state.resolveFailure)
    }
    if let failure { throw failure }
    guard let device else { throw CaptureError(.deviceNotFound, "There is no device \(deviceID).") }
    let offered = device.formats.contains { $0.pixelFormat == request.pixelFormat && $0.supports(request.size) }
    guard offered, let layout = FrameLayout.packed(request.pixelFormat, request.size) else {
      throw CaptureError(.formatNotSupported, "Device \(deviceID) has no \(request.pixelFormat) at \(request.size).")
    }
    return StreamFormat(devicePixelFormat: request.pixelFormat, layout: layout, frameRate: request.frameRate)
  }

  /// The controls of ``setControls(_:of:)``; none for a device without controls, and for an unknown device.
  public func controls(of deviceID: String) async throws(CaptureError) -> [Control] {
    state.withLock { $0.controls[deviceID] ?? [] }
  }

  /// Sets each control to its value if the value fits the control; nil sets the control's default value.
  ///
  /// - Returns: the result of each setting, in the order of `settings`.
  public func set(
    _ settings: [ControlSetting], on deviceID: String
  ) async throws(CaptureError) -> [ControlResult] {
    state.withLock { state in
      settings.map { setting in
        let outcome = Result { () throws(CaptureError) -> ControlValue? in
          guard let index = state.controls[deviceID]?.firstIndex(where: { $0.id == setting.control }) else {
            throw .notFound(control: setting.control, device: deviceID)
          }
          let control = state.controls[deviceID]![index]
          let value = try control.checked(setting.value ?? .integer(control.defaultValue), on: deviceID)
          state.controls[deviceID]![index].value = value
          return value
        }
        return ControlResult(control: setting.control, outcome: outcome)
      }
    }
  }

  /// Starts a source, after the gate ``starting`` and before the gate ``started``.
  ///
  /// - Throws: the errors of ``resolve(_:on:)``; the error of ``failStarts(_:of:)``; `deviceInUse` when the device
  ///   streams already.
  public func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    var format = try await resolve(request, on: deviceID)
    if let rate = state.withLock({ $0.rates[deviceID] }) { format.frameRate = rate }
    await starting.pass()
    let source = FakeSource(deviceID: deviceID, format: format, request: request, pool: pool, sink: sink) {
      [weak self] in
      self?.state.withLock { $0.live[deviceID] = nil }
    }
    let failure: CaptureError? = state.withLock { state in
      if let failure = state.startFailure, failure.device ?? deviceID == deviceID { return failure.error }
      if state.live[deviceID] != nil { return CaptureError(.deviceInUse, "Device \(deviceID) is streaming already.") }
      state.live[deviceID] = source
      return nil
    }
    if let failure { throw failure }
    sources.append(source)
    await started.pass()
    return source
  }
}
