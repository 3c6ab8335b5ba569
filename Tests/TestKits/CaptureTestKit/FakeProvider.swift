public import CaptureCore
internal import Synchronization

/// A `DeviceProvider` whose cameras come, go, start and fail as the test says.
public final class FakeProvider: DeviceProvider {
  /// Every source that was started, in order.
  public let sources = Recorder<FakeSource>()
  /// Close it to keep ``start(_:on:pool:sink:)`` from returning. Its `arrivals` count the calls.
  public let starting = Gate()
  /// Close it to keep ``start(_:on:pool:sink:)`` from returning though the source streams already.
  public let started = Gate()
  /// One element for each ``devices()``, which looks at every camera.
  public let looks = Recorder<Void>()

  private struct State {
    var devices: [Device]
    var live: [String: FakeSource] = [:]
    var controls: [String: [Control]] = [:]
    var startFailure: (error: CaptureError, device: String?)?
    var resolveFailure: CaptureError?
    var listeners: [UInt64: AsyncStream<DeviceChange>.Continuation] = [:]
    var lastListener: UInt64 = 0
  }
  private let state: Mutex<State>

  public init(devices: [Device] = [.fake()]) { state = Mutex(State(devices: devices)) }

  /// Makes every start of `device`, or of all when nil, that is not through yet throw `error`, until called with nil.
  public func failStarts(_ error: CaptureError?, of device: String? = nil) {
    state.withLock { $0.startFailure = error.map { ($0, device) } }
  }

  /// Gives a device these controls.
  public func setControls(_ controls: [Control], of device: String) {
    state.withLock { $0.controls[device] = controls }
  }

  /// Makes every ``resolve(_:on:)`` throw `error`, until called with nil. Starting resolves too.
  public func failResolving(_ error: CaptureError?) { state.withLock { $0.resolveFailure = error } }

  /// Adds a device, or replaces the one with its id, and tells it.
  public func connect(_ device: Device) {
    let (known, listeners) = state.withLock { state in
      let known = state.devices.contains { $0.id == device.id }
      state.devices.removeAll { $0.id == device.id }
      state.devices.append(device)
      return (known, Array(state.listeners.values))
    }
    for listener in listeners { listener.yield(DeviceChange(known ? .changed : .connected, device)) }
  }

  /// Takes a device away: it vanishes from the list, its source ends, the change is told. Unknown ids are ignored.
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

  public func devices() async -> [Device] {
    looks.append(())
    return state.withLock(\.devices)
  }

  public func knownDevices() async -> [Device] { state.withLock(\.devices) }

  public func knownDevice(_ id: String) async -> Device? { state.withLock { $0.devices.first { $0.id == id } } }

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

  public func controls(of deviceID: String) async throws(CaptureError) -> [Control] {
    state.withLock { $0.controls[deviceID] ?? [] }
  }

  /// Takes every value that fits its control.
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

  public func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    let format = try await resolve(request, on: deviceID)
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
