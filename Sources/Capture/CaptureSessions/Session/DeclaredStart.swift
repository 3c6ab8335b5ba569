public import CaptureCore
internal import SystemClocks

/// A session that the operator declared in the configuration file. It starts by itself, as soon as its camera is there.
public struct DeclaredStart: Sendable {
  private let session: CaptureSession
  private let asked: SessionConfiguration

  /// - Parameters:
  ///   - session: the session, which has been created and not configured.
  ///   - asked: the configuration that the operator declared.
  public init(_ session: CaptureSession, _ asked: SessionConfiguration) {
    self.session = session
    self.asked = asked
  }

  /// Returns every issue that would keep the session from ever running. An absent camera is not among them.
  ///
  /// - Throws: `noInput`, `noOutput`.
  public func obstacles() async throws -> [CaptureError] {
    let proposal = await propose(asked, in: session)
    try SessionErrors.checkStartable(
      session.id, hasInput: !asked.inputs.isEmpty, hasOutput: !proposal.resolved.outputs.isEmpty)
    let cost = session.devices.refusal(ofCost: proposal.demand, of: proposal.resolved)
    return proposal.issues.filter { InterruptionReason($0) == nil } + [cost].compactMap { $0 }
  }

  /// Commits the configuration and starts the session. While the camera is absent or another session holds it, the
  /// session is interrupted: viewers find its outputs, and the session starts by itself later.
  ///
  /// - Throws: an error that waiting does not heal; the session is then stopped.
  public func run() async throws {
    do {
      _ = try await session.configure(asked, etag: "", validateOnly: false)
      _ = try await session.start(requestedAt: .now())
    } catch {
      let cause = (error as? ConfigurationError)?.issues.first ?? error as? CaptureError
      guard let cause, InterruptionReason(cause) != nil else { throw error }
      try await session.serially { [self] in try await wait(because: cause, in: $0) }
    }
  }

  private func propose(
    _ asked: SessionConfiguration, in session: isolated CaptureSession
  ) async -> ConfigurationProposal {
    await ConfigurationProposer(in: session).propose(asked)
  }

  private func wait(because cause: CaptureError, in session: isolated CaptureSession) async throws {
    guard session.status.state == .stopped else { return }
    if session.committed.resolved.inputs.isEmpty {
      var withoutCamera = asked
      withoutCamera.inputs = []
      var proposal = await propose(withoutCamera, in: session)
      guard proposal.issues.isEmpty else { throw ConfigurationError(issues: proposal.issues) }
      proposal.asked = asked
      _ = try await Commit(proposal, in: session).carryOut(in: session)
    }
    try await SessionStart(requestedAt: .now(), obstacle: cause).carryOut(in: session)
    await session.adapt()
  }
}
