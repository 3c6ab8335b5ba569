public import CaptureCore
internal import Logging

/// All cameras of the daemon, from every provider, and who holds which.
public actor DeviceRegistry {
  private let providers: [any DeviceProvider]
  private var claims: [String: String] = [:]
  /// Cameras coming and going.
  public nonisolated let events = EventLog<DeviceChange>()

  /// What the machine itself can do.
  nonisolated let machine: MachineGauge
  /// What running streams take of the USB buses.
  nonisolated let usb = USBLedger()

  /// - Parameter machine: what costs are computed with; none of processor and memory when it knows nothing.
  public init(providers: [any DeviceProvider], machine: MachineGauge = MachineGauge(nil)) {
    self.providers = providers
    self.machine = machine
  }

  /// Feeds ``events`` until the task is cancelled.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for provider in providers {
        let changes = provider.changes()
        group.addTask { [events] in
          for await change in changes { events.append(change) }
        }
      }
    }
  }

  /// The cameras present now, ordered by id.
  public func devices() async -> [Device] {
    var all: [Device] = []
    for provider in providers { all += await provider.devices() }
    return all.sorted { $0.id < $1.id }
  }

  /// - Throws: `deviceNotFound`.
  public func device(_ id: String) async throws(CaptureError) -> Device {
    try await find(id).device
  }

  /// What the device would deliver; claims nothing.
  func resolve(_ request: StreamRequest, on id: String) async throws(CaptureError) -> StreamFormat {
    try await find(id).provider.resolve(request, on: id)
  }

  /// Reserves a device for a session. Claiming again what the session holds is harmless.
  ///
  /// - Throws: `deviceInUse` when another session holds it.
  func claim(_ id: String, for session: String) throws(CaptureError) {
    if let holder = claims[id], holder != session {
      throw CaptureError(
        .deviceInUse, "Device \(id) is used by session \(holder); stop that session first.",
        metadata: ["device": id, "session": holder])
    }
    claims[id] = session
  }

  /// Gives back every device the session holds, but `kept`.
  func release(from session: String, except kept: String? = nil) {
    claims = claims.filter { $0.value != session || $0.key == kept }
    usb.keep { claims[$0] != nil }
  }

  /// Starts a claimed device.
  func start(
    _ request: StreamRequest, on id: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    let (provider, device) = try await find(id)
    let source = try await provider.start(request, on: id, pool: pool, sink: sink)
    usb.set(USBDemand(device: device, request: request), of: id)
    return source
  }

  private func find(_ id: String) async throws(CaptureError) -> (provider: any DeviceProvider, device: Device) {
    for provider in providers {
      if let device = await provider.devices().first(where: { $0.id == id }) { return (provider, device) }
    }
    throw CaptureError(
      .deviceNotFound, "There is no device \(id); ListDevices tells which there are.", metadata: ["device": id])
  }
}
