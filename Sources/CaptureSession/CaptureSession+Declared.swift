public import CaptureCore

/// Sessions that an operator declared: they run by themselves, with their camera or until it comes.
extension CaptureSession {
  /// Everything that will keep `asked` from ever running. An absent camera will not.
  public func obstacles(to asked: SessionConfiguration) async throws -> [CaptureError] {
    let (resolved, _, demand, issues) = await resolve(asked)
    try checkStartable(hasInput: !asked.inputs.isEmpty, hasOutput: !resolved.outputs.isEmpty)
    return issues.filter { InterruptionReason($0) == nil } + [refusal(of: resolved, demand)].compactMap { $0 }
  }

  /// Commits `asked` and starts. While the camera is absent or somebody else's, the session is interrupted: its outputs
  /// are there for viewers, and it starts by itself.
  ///
  /// - Throws: what waiting does not heal; the session is then stopped.
  public func run(_ asked: SessionConfiguration) async throws {
    do {
      _ = try await configure(asked, etag: "", validateOnly: false)
      _ = try await start(requestedAt: SystemClock.monotonicNanoseconds())
    } catch {
      let cause = (error as? ConfigurationError)?.issues.first ?? error as? CaptureError
      guard let cause, InterruptionReason(cause) != nil else { throw error }
      try await serially { try await $0.await(asked, because: cause) }
    }
  }

  private func await(_ asked: SessionConfiguration, because cause: CaptureError) async throws {
    guard machine.status.state == .stopped else { return }
    if resolved.input == nil {
      var withoutCamera = asked
      withoutCamera.inputs = []
      let (resolved, _, demand, issues) = await resolve(withoutCamera)
      guard issues.isEmpty else { throw ConfigurationError(issues: issues) }
      _ = try await commit(asked, resolved, nil, demand)
    }
    beginLaunch(requestedAt: SystemClock.monotonicNanoseconds())
    await apply(.startAwaited(cause))
    await adapt()
  }

  /// Resolves what could not be while the camera was absent.
  func resolveAwaited() async throws {
    guard resolved.input == nil else { return }
    let (resolved, format, demand, issues) = await resolve(asked)
    if let issue = issues.first { throw issue }
    _ = try await commit(asked, resolved, format, demand)
  }
}
