public import CaptureCore
internal import Logging
internal import Synchronization

/// All cameras of the daemon, from every provider, and who holds which.
public actor DeviceRegistry {
  private let providers: [any DeviceProvider]
  /// Which session holds a device. Behind a lock, so that a session frees its device in the same step in which it stops.
  private nonisolated let claims = Mutex<[String: String]>([:])
  /// Cameras coming and going.
  public nonisolated let events = EventLog<DeviceChange>()

  public init(providers: [any DeviceProvider]) { self.providers = providers }

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
  nonisolated func claim(_ id: String, for session: String) throws(CaptureError) {
    let holder = claims.withLock { claims in
      if claims[id] == nil { claims[id] = session }
      return claims[id]
    }
    if let holder, holder != session {
      throw CaptureError(
        .deviceInUse, "Device \(id) is used by session \(holder); stop that session first.",
        metadata: ["device": id, "session": holder])
    }
  }

  /// Gives back every device the session holds, but `kept`.
  nonisolated func release(from session: String, except kept: String? = nil) {
    claims.withLock { $0 = $0.filter { $0.value != session || $0.key == kept } }
  }

  /// Who holds which device.
  nonisolated var holders: [String: String] { claims.withLock { $0 } }

  /// Starts a claimed device.
  func start(
    _ request: StreamRequest, on id: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    try await find(id).provider.start(request, on: id, pool: pool, sink: sink)
  }

  private func find(_ id: String) async throws(CaptureError) -> (provider: any DeviceProvider, device: Device) {
    for provider in providers {
      if let device = await provider.devices().first(where: { $0.id == id }) { return (provider, device) }
    }
    throw CaptureError(
      .deviceNotFound, "There is no device \(id); ListDevices tells which there are.", metadata: ["device": id])
  }
}
