public import CaptureCore
internal import SystemClocks

/// A session that the operator declared in the configuration file. It starts by itself, as soon as its camera is there,
/// or on demand.
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
    await declareMicrophones()
    let proposal = await propose(asked, in: session)
    try SessionErrors.checkStartable(
      session.id, hasInput: !asked.inputs.isEmpty, hasOutput: !proposal.resolved.outputs.isEmpty)
    let cost = session.devices.refusal(ofCost: proposal.demand, of: proposal.resolved, in: session.id)
    return proposal.issues.filter { InterruptionReason($0) == nil } + [cost].compactMap { $0 }
  }

  /// Commits the configuration. While the camera is absent, viewers find the outputs nevertheless.
  ///
  /// - Parameter etag: the etag of the configuration that the session has; empty accepts any.
  /// - Throws: `etagMismatch`; an error that waiting does not heal.
  public func commit(etag: String = "") async throws {
    await declareMicrophones()
    do {
      _ = try await session.configure(asked, etag: etag, validateOnly: false)
    } catch {
      let cause = (error as? ConfigurationError)?.issues.first ?? error as? CaptureError
      guard let cause, InterruptionReason(cause) != nil else { throw error }
      try await session.serially { [self] in try await commitWithoutCamera(in: $0) }
    }
  }

  /// Commits the configuration and starts the session. While the camera is absent, in use or without bandwidth, the
  /// session is interrupted and starts by itself later.
  ///
  /// - Throws: an error that waiting does not heal; the session is then stopped.
  public func run() async throws {
    try await commit()
    try await session.serially { session in
      guard session.status.state == .stopped else { return }
      try await SessionStart(requestedAt: .now()).carryOutOrWait(in: session)
    }
  }

  /// A microphone that is absent does not keep the cameras from running.
  private func declareMicrophones() async { await session.declareMicrophones(asked.microphonesIfAbsent) }

  private func propose(
    _ asked: SessionConfiguration, in session: isolated CaptureSession
  ) async -> ConfigurationProposal {
    await ConfigurationProposer(in: session).propose(asked)
  }

  private func commitWithoutCamera(in session: isolated CaptureSession) async throws {
    guard session.committed.resolved.inputs.isEmpty else { return }
    var withoutCamera = asked
    withoutCamera.inputs = []
    // Connections name inputs, so they follow with the camera.
    withoutCamera.connections = []
    var proposal = await propose(withoutCamera, in: session)
    guard proposal.issues.isEmpty else { throw ConfigurationError(issues: proposal.issues) }
    proposal.asked = asked
    _ = try await Commit(proposal, requestedAt: nil, in: session).carryOut(in: session)
  }
}
