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

/// Sessions that the configuration file declares.
extension CaptureSession {
  /// Why the session does not run although the configuration file declares that it does, as a sentence for the
  /// operator. Nil when it runs, or when it starts on demand and waits for a viewer, and for a session of a client.
  public func declaredFailure() -> String? {
    guard isDeclared else { return nil }
    let isOnDemand = port.viewers.idleTimeout != nil
    switch status.state {
    case .running: return nil
    case .interrupted:
      do throws(CaptureError) { try checkInterruption() } catch { return error.message }
      return "Session \(id) is interrupted."
    case .stopped where isOnDemand:
      guard committed.resolved.inputs.isEmpty, !committed.asked.inputs.isEmpty else { return nil }
      let cameras = committed.asked.inputs.filter { !$0.deviceID.isEmpty }.map { "devices/\($0.deviceID)" }
      return "Session \(id) waits until all of its cameras have been there once: \(cameras.joined(separator: ", "))."
    case .starting where isOnDemand, .stopping where isOnDemand: return nil
    case .stopped: return "Session \(id) is stopped; start it by StartSession."
    case .starting, .stopping: return "Session \(id) is \(status.state)."
    }
  }
}
