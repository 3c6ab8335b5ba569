public import CaptureCore

/// Access to controls. Two kinds of callers set controls: clients, and shots, which set controls for a photo and then
/// set them back.
extension DeviceRegistry {
  /// Sets controls for a client, each on its own; see ``DeviceProvider/set(_:on:)``. A control that a running shot has
  /// taken fails with `controlGrabbed`: setting it would spoil the photo, and the shot would undo the change
  /// afterwards.
  ///
  /// - Returns: the outcome of each setting, in the order of `settings`.
  /// - Throws: why the device's controls cannot be set at all; then no control was set.
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

  /// Begins a shot: waits until earlier accesses to the device's controls have ended, then reads the controls. Until
  /// ``endShot(on:)`` clients cannot set the controls that the shot takes.
  ///
  /// - Throws: why the controls cannot be read.
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

  /// Runs `body` after all earlier accesses to the device's controls. The wait takes as long as the driver needs to
  /// answer them.
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
