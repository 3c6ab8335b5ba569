internal import CaptureCore
internal import Logging
internal import SystemClocks

/// Carries out one commit: it takes over the whole configuration, or nothing of it.
///
/// A caller that reads the session during the commit sees the former configuration, because the commit takes over the
/// new one in a single step at its end. Cameras that the commit does not change stream on to the former outputs until
/// then, so that a commit that fails has cost them nothing.
struct Commit {
  private let proposal: ConfigurationProposal
  private let requestedAt: MonotonicInstant?
  private let plan: CommitPlan
  private let slots: CameraSlots
  private let devices: DeviceRegistry
  private let outputs: SessionOutputs
  private let pipelines: [CameraPipeline]

  /// - Parameter requestedAt: when a client asked for the commit; nil for a commit of a configuration that the session
  ///   has already. An added camera that cannot run now and may be able to later then waits, while the others start.
  init(_ proposal: ConfigurationProposal, requestedAt: MonotonicInstant?, in session: isolated CaptureSession) {
    self.proposal = proposal
    self.requestedAt = requestedAt
    devices = session.devices
    outputs = session.outputs
    pipelines = session.pipelines
    let committed = session.committed
    slots = committed.slots.following(from: committed.resolved.inputs, to: proposal.resolved.inputs)
    plan = CommitPlan(
      from: committed.resolved, to: proposal.resolved,
      isStreaming: session.isStreaming || session.status.state == .running,
      prepared: Set(outputs.hosted.values.filter(\.isPrepared).map(\.configuration.id)),
      made: outputs.hosted.mapValues(\.kind), slots: (committed.slots, slots),
      present: CameraChanges.Present(
        isOn: session.status.state != .stopped,
        open: Set(pipelines.filter { $0.running != nil }.map(\.index)),
        idle: Set(pipelines.filter { $0.status.state == .stopped }.map(\.index)),
        parked: Set(pipelines.filter(\.isParked).map(\.index))))
  }

  private var resolved: ResolvedConfiguration { proposal.resolved }

  /// How far the commit came, for the roll-back.
  private struct Progress {
    /// Whether watchers were told that a reconfiguration has begun.
    var hasAnnounced = false
    /// The pipelines that were started without having run before.
    var started: [CameraPipeline] = []
    /// The pipelines that ran before and were stopped.
    var stopped: [CameraPipeline] = []
    /// The added cameras that cannot or must not run now, and why.
    var waiting: [(CameraPipeline, CaptureError)] = []
  }

  /// Carries out the commit, and rolls everything back when it fails.
  ///
  /// - Returns: whether the commit was lengthy: it restarted a camera, or changed what photos are made with.
  /// - Throws: why an output cannot be prepared, or why a camera cannot be claimed or started.
  func carryOut(in session: isolated CaptureSession) async throws -> Bool {
    let next = outputs.next(by: plan)
    var progress = Progress()
    if !plan.cameras.changes.isEmpty {
      outputs.derivedInputs.beginWaiting(session.committed.resolved.inputs + resolved.inputs)
    }
    // When the commit adapts to pressure at its end, that may end the wait already. Its cameras have started by then.
    defer { outputs.derivedInputs.endWaiting() }
    do throws(CaptureError) {
      for slot in plan.cameras.restarted + plan.cameras.started {
        guard let input = input(at: slot) else { continue }
        do throws(CaptureError) { try devices.claim(input, for: session.id) } catch {
          guard mayWait(for: error), plan.cameras.started.contains(slot) else { throw error }
          progress.waiting.append((pipelines[slot], error))
        }
      }
      try await outputs.prepare(plan.preparedFirst.compactMap { next[$0] }, of: resolved, in: session)
      if plan.isLengthy {
        progress.hasAnnounced = true
        session.port.events.append(.reconfigurationStarted)
        outputs.update(only: plan.disturbed) { $0.isReconfiguring = true }
      }
      try await changeCameras(for: next, &progress, in: session)
    } catch {
      await rollBack(progress, added: plan.added.compactMap { next[$0.id] }, in: session)
      throw error
    }
    // A deferred start of the former configuration ends before the new configuration may begin its own.
    await session.deferredStart.waitForEnd()
    takeOver(next, waiting: progress.waiting, in: session)
    for pipeline in pipelines { CameraLife(pipeline, in: session).takeConfirmedRate(in: session) }
    if plan.isLengthy { endReconfiguration(in: session) }
    // The commit may have brought another adaptation policy or another camera, and a rest may be over by now.
    await session.adapt()
    session.port.viewers.noteCommit()
    return plan.isLengthy
  }

  /// Returns the camera that the pipeline at `slot` has after the commit; nil when it has none.
  private func input(at slot: Int) -> ResolvedConfiguration.Input? { slots.place(at: slot).map { resolved.inputs[$0] } }

  /// Whether an added camera that cannot run waits, because no client waits for the commit. When such a commit failed
  /// because of one camera, the others would not run either.
  private func mayWait(for error: CaptureError) -> Bool {
    requestedAt == nil && InterruptionReason(ofRetry: error) != nil
  }

  /// Starts the cameras that are added before it touches those that run, because most commits that fail do so here.
  private func changeCameras(
    for next: [String: HostedOutput], _ progress: inout Progress, in session: isolated CaptureSession
  ) async throws(CaptureError) {
    var fresh: [CameraPipeline] = []
    let refused = progress.waiting.map(\.0.index)
    for pipeline in plan.cameras.started.filter({ !refused.contains($0) }).map({ pipelines[$0] }) {
      if let rest = session.rest(of: input(at: pipeline.index)) {
        progress.waiting.append((pipeline, rest))
      } else {
        fresh.append(pipeline)
      }
    }
    let restarted = plan.cameras.restarted.map { pipelines[$0] }
    let leaving = plan.cameras.stopped.map { pipelines[$0] }
    var late: [CameraPipeline] = []
    // While another camera may still fail, no output gets frames of a configuration that would then be rolled back.
    let isAlone = fresh.count + restarted.count == 1
    for (pipeline, error) in await start(fresh, for: isAlone ? next : [:], in: session) {
      guard let error else {
        progress.started.append(pipeline)
        continue
      }
      if mayWait(for: error) {
        progress.waiting.append((pipeline, error))
        continue
      }
      // The bus may have room when the other cameras of this commit leave it.
      guard error.reason == .bandwidthExceeded, !(restarted + leaving).isEmpty else { throw error }
      late.append(pipeline)
    }
    // Stop the former source first, so that none of its frames can pass for a frame of the new source: no more of them
    // arrive, and the ring drops those that it kept.
    for pipeline in restarted + leaving where pipeline.running != nil {
      progress.stopped.append(pipeline)
      await pipeline.stop()
    }
    progress.started += late
    let last = restarted + late
    for (_, error) in await start(last, for: last.count > 1 ? [:] : next, in: session) { if let error { throw error } }
    connect(fresh + restarted, for: next, in: session)
  }

  /// Lets cameras send frames to their outputs of the new configuration. An output that gets another camera keeps its
  /// former one until all cameras run, and compositions get no frames before the commit takes over.
  private func connect(
    _ wanted: [CameraPipeline], for next: [String: HostedOutput], in session: isolated CaptureSession
  ) {
    let kept = plan.kept.filter { id in
      guard let former = outputs.hosted[id]?.configuration else { return false }
      let after = resolved.outputs.first { $0.id == id }
      return session.committed.pipeline(of: former) != after.flatMap { slots.slot(of: $0.camera) } ?? 0
    }
    outputs.connect(
      next.filter { !kept.contains($0.key) }, by: resolved, slots, revision: session.committed.revision + 1,
      to: wanted, isProvisional: true)
  }

  /// Starts cameras side by side, and returns the error of each; nil for a camera that streams.
  ///
  /// - Parameter next: the outputs that get the frames at once.
  private func start(
    _ wanted: [CameraPipeline], for next: [String: HostedOutput], in session: isolated CaptureSession
  ) async -> [(CameraPipeline, CaptureError?)] {
    connect(wanted, for: next, in: session)
    let revision = session.committed.revision + 1
    return await session.atOnce(wanted) { [proposal, slots] _, pipeline in
      guard let place = slots.place(at: pipeline.index) else { return nil }
      let (resolved, input) = (proposal.resolved, proposal.resolved.inputs[place])
      do throws(CaptureError) {
        // Stalls under the former configuration say nothing about the stream that starts now, so a new schedule decides
        // how long it may bring no frame.
        try await pipeline.start(
          input, window: resolved.ringWindow(at: place), cameras: resolved.inputs.count,
          held: resolved.heldFrames(at: place), plan: resolved.plan(of: input, revision: revision),
          format: proposal.formats[input.sourceID],
          patience: RetrySchedule().patience)
        return nil
      } catch { return error }
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
    // A camera that failed may have sent frames before.
    for pipeline in progress.started + plan.cameras.started.map({ pipelines[$0] }) {
      guard let device = pipeline.running?.sourceID else { continue }
      await pipeline.stop()
      pipeline.frames.endRun()
      // The session keeps a camera that it had closed before.
      devices.noteClosed(device, by: session.id)
    }
    for pipeline in progress.stopped { await pipeline.stop() }
    outputs.connect(
      outputs.hosted, by: committed.resolved, committed.slots, revision: committed.revision,
      to: (plan.cameras.started + plan.cameras.restarted).map { pipelines[$0] })
    outputs.derivedInputs.follow(committed)
    let gone = CaptureError(.outputRemoved, "The commit that was to add this output failed.")
    for output in added { output.output.close(gone) }
    outputs.forgetOthers()
    devices.release(from: session.id, except: session.status.state == .stopped ? [] : committed.deviceIDs)
    for pipeline in progress.stopped {
      do throws(CaptureError) {
        try await pipeline.start(by: committed)
        CameraLife(pipeline, in: session).takeConfirmedRate(in: session)
      } catch { await session.apply(.sourceLost(error.sinceCommit), to: pipeline) }
    }
  }

  /// Takes over the new configuration and informs everything that depends on it. The method never suspends, so the
  /// session's actor lets no other call in between the first line and the last.
  private func takeOver(
    _ next: [String: HostedOutput], waiting: [(CameraPipeline, CaptureError)], in session: isolated CaptureSession
  ) {
    let former = outputs.hosted
    let isOn = session.status.state != .stopped
    let changed = pipelines.filter { changesCamera(of: $0, from: session.committed) }
    for pipeline in changed { pipeline.schedule = RetrySchedule() }
    for slot in plan.cameras.stopped {
      if let device = session.committed.sourceID(at: slot) { devices.noteClosed(device, by: session.id) }
    }
    session.take(confirmed)
    outputs.connect(
      next, by: resolved, slots, revision: session.committed.revision, to: pipelines)
    // The outputs know their connections before a picture with the new layers comes.
    session.followDerivedInputs()
    outputs.replace(with: next, by: resolved)
    if isOn {
      // An interrupted session opens the new camera with its next retry. A camera that another session holds does not
      // make the commit fail: the next retry then finds the camera in use and reports that as the interruption.
      for input in resolved.inputs { try? devices.claim(input, for: session.id) }
      devices.release(from: session.id, except: resolved.cameraIDs)
    }
    let asked = plan.cameras.asked.compactMap { slot in input(at: slot).map { ($0.id, pipelines[slot]) } }
    session.launch.noteCommit(
      inputs: Set(resolved.inputs.map(\.id)), asked: Dictionary(uniqueKeysWithValues: asked), requestedAt: requestedAt)
    var moved = settleCameras(isOn: isOn, in: session)
    for pipeline in pipelines where pipeline.isParked || changed.contains(where: { $0 === pipeline }) {
      if pipeline.forgetError() { moved.append(pipeline) }
    }
    for pipeline in pipelines { pipeline.setMemory(by: session.committed) }
    for id in plan.removed {
      former[id]?.output.close(
        CaptureError(
          .outputRemoved, "A commit removed output \(id); attach to another.",
          metadata: ["session": session.id, "output": id]))
    }
    let committed = session.committed
    for output in next.values {
      let status = session.shownStatus(of: pipelines[committed.pipeline(of: output.configuration)])
      output.update { conditions in
        conditions.status = status
        conditions.expect(committed, by: output.configuration)
      }
    }
    outputs.connectConstituents(by: committed, pipelines)
    session.port.events.append(
      .configurationCommitted(
        etag: committed.etag, revision: committed.revision, reconfigured: plan.isLengthy))
    for pipeline in moved { CameraLife(pipeline, in: session).tellInput(in: session) }
    for (pipeline, cause) in waiting { CameraLife(pipeline, in: session).wait(for: cause, in: session) }
    session.tellStatus()
    session.followMicrophones()
    // Deferred start follows the event of its commit, because it may begin at once when a frame has come already.
    if session.isStreaming { outputs.expectFirstFrames(by: resolved) }
    let isRunning = session.isStreaming || session.status.state == .running
    session.deferredStart.commit(resolved, isRunning: isRunning, hasFrame: session.hasFrame, in: session)
    session.port.logger.info(
      "The session has another configuration.",
      metadata: [
        "configuration.revision": "\(committed.revision)",
        "configuration.restart": "\(plan.restart.map { "\($0)" } ?? "none")",
      ])
  }

  /// Gives the state machines of the cameras that began or ended to run the states that these cameras have now.
  ///
  /// - Returns: the pipelines whose state is another one now.
  private func settleCameras(isOn: Bool, in session: isolated CaptureSession) -> [CameraPipeline] {
    var moved: [CameraPipeline] = []
    for pipeline in pipelines {
      let place = slots.place(at: pipeline.index)
      switch plan.cameras.changes[pipeline.index] {
      case .start where pipeline.running != nil:
        pipeline.adopt()
        moved.append(pipeline)
      case .stop:
        pipeline.reset()
        moved.append(pipeline)
      case .restart, .start, nil: break
      }
      guard let place else {
        pipeline.unpark()
        if !session.committed.pipelines.contains(pipeline.index) { pipeline.forgetAdaptation() }
        continue
      }
      let isClosed = !resolved.isUsed(at: place) || resolved.isDeferred(at: place)
      if isOn, isClosed, pipeline.status.state == .stopped { pipeline.park() } else { pipeline.unpark() }
    }
    return moved
  }

  /// The proposal, with the formats that the drivers of the streaming cameras confirmed when they started. A
  /// derived input has no driver.
  private var confirmed: ConfigurationProposal {
    var confirmed = proposal
    for pipeline in pipelines where input(at: pipeline.index)?.isDerived != true {
      guard let running = pipeline.running else { continue }
      confirmed.formats[running.sourceID] = running.source.format
    }
    return confirmed
  }

  private func changesCamera(of pipeline: CameraPipeline, from former: CommittedConfiguration) -> Bool {
    let next = input(at: pipeline.index)
    let present = former.input(at: pipeline.index)
    return next?.sourceID != present?.sourceID || next?.request != present?.request
  }
}
