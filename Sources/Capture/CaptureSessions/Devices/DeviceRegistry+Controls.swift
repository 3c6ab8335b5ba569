public import CaptureCore

/// Who may set controls: clients, and captures that set some for themselves and then back.
extension DeviceRegistry {
  /// Sets controls, each on its own; see ``DeviceProvider/set(_:on:)``. One that a capture has is `controlGrabbed`: it would
  /// spoil the photo and be put back after it.
  public func set(_ settings: [ControlSetting], on id: String) async throws(CaptureError) -> [ControlResult] {
    try await inTurn(id) { registry in
      let taken = registry.taken[id] ?? []
      let free = settings.filter { !taken.contains($0.control) }
      do throws(CaptureError) {
        var results = try await registry.setForShot(free, on: id).makeIterator()
        return .success(
          settings.compactMap { setting in
            guard taken.contains(setting.control) else { return results.next() }
            return ControlResult(control: setting.control, outcome: .failure(.taken(setting.control, device: id)))
          })
      } catch { return .failure(error) }
    }
  }

  /// Reads a device's controls for a shot, after whatever is just being set. Until ``endShot(on:)`` nobody else sets those
  /// that the shot takes.
  func beginShot(_ steps: [Shot.Step], on id: String) async throws(CaptureError) -> ShotPlan {
    try await inTurn(id) { registry in
      do throws(CaptureError) {
        let plan = ShotPlan(try await registry.controls(of: id), deviceID: id)
        registry.taken[id] = plan.taken(by: steps)
        return .success(plan)
      } catch { return .failure(error) }
    }
  }

  func endShot(on id: String) { taken[id] = nil }

  /// Runs `body` after every earlier one of the device, which takes as long as a driver needs to answer.
  private func inTurn<R: Sendable>(
    _ id: String, _ body: @escaping @Sendable (isolated DeviceRegistry) async -> Result<R, CaptureError>
  ) async throws(CaptureError) -> R {
    let previous = lastAccess[id]
    let task = Task {
      await previous?.value
      return await body(self)
    }
    lastAccess[id] = Task { _ = await task.value }
    return try await task.value.get()
  }
}

extension CaptureError {
  fileprivate static func taken(_ control: String, device: String) -> CaptureError {
    CaptureError(
      .controlGrabbed, "\(control) is set for a photo now; set it again when that is taken.",
      metadata: ["device": device, "control": control])
  }
}
