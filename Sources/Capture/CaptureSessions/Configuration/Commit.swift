internal import CaptureCore
internal import Logging
internal import SystemClocks

/// Carries out one commit: it takes over the whole configuration, or nothing of it.
///
/// A caller that reads the session during the commit sees the former configuration, because the commit takes over the
/// new one in a single step at its end.
struct Commit {
  private let proposal: ConfigurationProposal
  private let plan: CommitPlan
  private let devices: DeviceRegistry
  private let outputs: SessionOutputs
  private let pipelines: [CameraPipeline]

  init(_ proposal: ConfigurationProposal, in session: isolated CaptureSession) {
    self.proposal = proposal
    devices = session.devices
    outputs = session.outputs
    pipelines = session.pipelines
    plan = CommitPlan(
      from: session.committed.resolved, to: proposal.resolved, isStreaming: session.isStreaming,
      prepared: Set(outputs.hosted.values.filter(\.isPrepared).map(\.configuration.id)),
      made: outputs.hosted.mapValues(\.kind))
  }

  private var resolved: ResolvedConfiguration { proposal.resolved }

  /// How far the commit came, for the roll-back.
  private struct Progress {
    /// Whether watchers were told that a reconfiguration has begun.
    var hasAnnounced = false
    var hasStoppedCameras = false
  }

  /// Carries out the commit, and rolls everything back when it fails.
  ///
  /// - Returns: whether the commit was lengthy: it restarted the device, or changed what photos are made with.
  /// - Throws: why an output cannot be prepared, or why the device cannot be claimed or started.
  func carryOut(in session: isolated CaptureSession) async throws -> Bool {
    let next = outputs.next(by: plan)
    var progress = Progress()
    do throws(CaptureError) {
      if plan.restart != nil {
        for input in resolved.inputs { try devices.claim(input.deviceID, for: session.id) }
      }
      try await outputs.prepare(
        plan.preparedFirst.compactMap { next[$0] }, on: resolved.inputs.first?.deviceID, in: session)
      if plan.isLengthy {
        progress.hasAnnounced = true
        session.port.events.append(.reconfigurationStarted)
        outputs.update { $0.isReconfiguring = true }
      }
      progress.hasStoppedCameras = plan.restart != nil
      try await restartCameras(for: next, in: session)
    } catch {
      await rollBack(progress, added: plan.added.compactMap { next[$0.id] }, in: session)
      throw error
    }
    // A deferred start of the former configuration ends before the new configuration may begin its own.
    await session.deferredStart.waitForEnd()
    takeOver(next, in: session)
    for pipeline in pipelines { CameraLife(pipeline, in: session).takeConfirmedRate(in: session) }
    if plan.isLengthy { endReconfiguration(in: session) }
    // The commit may have brought another adaptation policy or another camera.
    await session.adapt()
    session.port.viewers.noteCommit()
    return plan.isLengthy
  }

  private func restartCameras(
    for next: [String: HostedOutput], in session: isolated CaptureSession
  ) async throws(CaptureError) {
    // Stop the former source first, so that none of its frames can pass for a frame of the new source: no more of them
    // arrive, and the ring drops those that it kept.
    if plan.restart != nil { for pipeline in pipelines { await pipeline.stop() } }
    outputs.connect(next, by: resolved, revision: session.committed.revision + 1, to: pipelines)
    guard plan.restart != nil else { return }
    for (pipeline, input) in zip(pipelines, resolved.inputs) {
      // Stalls under the former configuration say nothing about the stream that starts now, so a new schedule decides
      // how long it may bring no frame.
      try await pipeline.start(
        input, window: resolved.zeroShutterLagWindow, format: proposal.formats[pipeline.index],
        patience: RetrySchedule().patience)
    }
  }

  private func endReconfiguration(in session: isolated CaptureSession) {
    outputs.update { $0.isReconfiguring = false }
    session.port.events.append(.reconfigurationFinished(revision: session.committed.revision))
  }

  /// Restores what a failed commit has changed. The session still has the former configuration, because a commit
  /// replaces it only after every step that can fail.
  private func rollBack(
    _ progress: Progress, added: [HostedOutput], in session: isolated CaptureSession
  ) async {
    defer { if progress.hasAnnounced { endReconfiguration(in: session) } }
    let committed = session.committed
    outputs.connect(outputs.hosted, by: committed.resolved, revision: committed.revision, to: pipelines)
    let gone = CaptureError(.outputRemoved, "The commit that was to add this output failed.")
    for output in added { output.output.close(gone) }
    outputs.forgetOthers()
    guard plan.restart != nil else { return }
    devices.release(from: session.id, except: Set(committed.resolved.inputs.map(\.deviceID)))
    guard progress.hasStoppedCameras else { return }
    // Other cameras of the commit may run already, and a device that failed may have sent frames before.
    for pipeline in pipelines { await pipeline.stop() }
    for (pipeline, input) in zip(pipelines, committed.resolved.inputs) {
      do {
        try await pipeline.start(
          input, window: committed.resolved.zeroShutterLagWindow, format: committed.formats[pipeline.index])
        CameraLife(pipeline, in: session).takeConfirmedRate(in: session)
      } catch { await session.apply(.sourceLost(error.sinceCommit), to: pipeline) }
    }
  }

  /// Takes over the new configuration and informs everything that depends on it. The method never suspends, so the
  /// session's actor lets no other call in between the first line and the last.
  private func takeOver(_ next: [String: HostedOutput], in session: isolated CaptureSession) {
    let former = outputs.hosted
    for pipeline in pipelines where changesCamera(of: pipeline, from: session.committed) {
      pipeline.schedule = RetrySchedule()
    }
    session.committed.replace(with: confirmed)
    outputs.replace(with: next, by: resolved)
    if session.status.state != .stopped {
      // An interrupted session opens the new camera with its next retry. A camera that another session holds does not
      // make the commit fail: the next retry then finds the camera in use and reports that as the interruption.
      for input in resolved.inputs { try? devices.claim(input.deviceID, for: session.id) }
      devices.release(from: session.id, except: Set(resolved.inputs.map(\.deviceID)))
    }
    session.port.timeline.record { $0.configurationCommitted = .now() }
    for pipeline in pipelines { pipeline.setMemory(by: session.committed) }
    for id in plan.removed {
      former[id]?.output.close(
        CaptureError(
          .outputRemoved, "A commit removed output \(id); attach to another.",
          metadata: ["session": session.id, "output": id]))
    }
    let (status, committed) = (session.status, session.committed)
    for output in next.values {
      output.update { conditions in
        if !plan.kept.contains(output.configuration.id) { conditions.status = status }
        conditions.expect(committed)
      }
    }
    session.port.events.append(
      .configurationCommitted(
        etag: committed.etag, revision: committed.revision, reconfigured: plan.isLengthy))
    session.followMicrophones()
    // Deferred start follows the event of its commit, because it may begin at once when a frame has come already.
    if session.isStreaming { outputs.expectFirstFrames(by: resolved) }
    session.deferredStart.commit(
      resolved, isRunning: session.isStreaming, hasFrame: session.hasFrame, in: session)
    session.port.logger.info(
      "configuration committed",
      metadata: ["revision": "\(committed.revision)", "restart": "\(plan.restart.map { "\($0)" } ?? "none")"])
  }

  /// The proposal, with the formats that the drivers of the streaming cameras confirmed when they started.
  private var confirmed: ConfigurationProposal {
    var confirmed = proposal
    for pipeline in pipelines {
      if let running = pipeline.running { confirmed.formats[pipeline.index] = running.source.format }
    }
    return confirmed
  }

  private func changesCamera(of pipeline: CameraPipeline, from former: CommittedConfiguration) -> Bool {
    let next = resolved.inputs.indices.contains(pipeline.index) ? resolved.inputs[pipeline.index] : nil
    let present = former.input(at: pipeline.index)
    return next?.deviceID != present?.deviceID || next?.request != present?.request
  }
}
