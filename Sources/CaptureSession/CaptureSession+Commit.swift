public import CaptureCore
internal import Logging

/// One atomic commit: all of a configuration or none of it.
extension CaptureSession {
  /// What a commit did, or would do.
  public struct CommitResult: Sendable {
    public var snapshot: SessionSnapshot
    /// With `validateOnly`: everything that stands against it.
    public var issues: [CaptureError]
    /// Whether the device was restarted, or photos are made otherwise.
    public var reconfigured: Bool
  }

  /// Takes over a whole configuration.
  ///
  /// A configuration equal to the present one changes nothing. While running, the device is restarted only when the
  /// device, the format or the rate differs; if the new one does not start, the former one is started again. Should that
  /// fail too, the session is interrupted or stopped with the former configuration.
  ///
  /// - Throws: `etagMismatch`, ``ConfigurationError`` with every issue, and what the device says.
  public func configure(
    _ asked: SessionConfiguration, etag: String, validateOnly: Bool
  ) async throws -> CommitResult {
    try await inUse { session in
      try session.checkAlive()
      try session.check(etag: etag)
      // Its camera may be away now: what it asks for is what it has all the same.
      if asked == session.asked, session.machine.status.state != .stopped {
        return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: false)
      }
      let (resolved, format, demand, issues) = await session.resolve(asked)
      if validateOnly {
        let snapshot = session.snapshot(asked: asked, resolved: resolved, revision: session.revision, demand: demand)
        return CommitResult(snapshot: snapshot, issues: issues, reconfigured: false)
      }
      guard issues.isEmpty else { throw ConfigurationError(issues: issues) }
      if asked == session.asked, resolved == session.resolved {
        return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: false)
      }
      let reconfigured = try await session.commit(asked, resolved, format, demand)
      session.warnOfCost()
      return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: reconfigured)
    }
  }

  typealias Resolution = (
    resolved: ResolvedConfiguration, format: StreamFormat?, demand: CostDemand?, issues: [CaptureError]
  )

  func resolve(_ asked: SessionConfiguration) async -> Resolution {
    let known = await devices.knownDevices()
    if ConfigurationResolver.resolve(named(asked), devices: known).issues.isEmpty {
      let found = await resolve(asked, devices: known)
      guard found.issues.contains(where: { $0.reason == .formatNotSupported }) else { return found }
    }
    // The camera's formats may have changed without an event, as a capture card's do with its source.
    return await resolve(asked, devices: await devices.devices())
  }

  private func resolve(
    _ asked: SessionConfiguration, devices present: [Device]
  ) async -> Resolution {
    var (resolved, issues) = ConfigurationResolver.resolve(named(asked), devices: present)
    var demand = CostDemand(resolved, devices: present)
    // An interrupted session wants to run too: without a camera it would wait for ever.
    if issues.isEmpty, machine.status.state != .stopped, resolved.input == nil || resolved.outputs.isEmpty {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration, "A running session needs a camera and an output; stop it first.",
          metadata: ["session": id], field: "configuration"))
    }
    if issues.isEmpty, machine.status.state != .stopped, let issue = refusal(of: resolved, demand) {
      issues.append(issue)
    }
    guard issues.isEmpty, let input = resolved.input else { return (resolved, nil, demand, issues) }
    await findShotCapabilities(&resolved, of: present.first { $0.id == input.deviceID })
    if let issue = resolvePhotoSize(asked.photo?.maxSize, &resolved) { return (resolved, nil, demand, [issue]) }
    // A session that does not stream may name a camera that is in use: it takes it when it starts.
    if source != nil, var issue = devices.refusal(of: input.deviceID, to: id) {
      issue.field = "configuration.inputs[0].device"
      return (resolved, nil, demand, [issue])
    }
    var format: StreamFormat?
    if let source, input.deviceID == self.resolved.input?.deviceID, input.request == self.resolved.input?.request {
      // The driver already told, and a streaming device is not to be asked again.
      format = source.format
    } else {
      do {
        let offered = try await devices.resolve(input.request, on: input.deviceID)
        format = offered
        if let issue = refusal(of: offered.frameRate, to: asked, input) { issues.append(issue) }
      } catch {
        var issue = error
        issue.field = "configuration.inputs[0].format"
        issues.append(issue)
      }
    }
    if var format {
      // What the driver confirmed at the last start of the same is better than what it lists.
      if let former = self.resolved.input, former.deviceID == input.deviceID, former.request == input.request {
        format.frameRate = former.frameRate
      }
      resolved.take(format)
      demand = demand.flatMap { CostDemand(resolved, devices: [$0.device]) }
    }
    return (resolved, format, demand, issues)
  }

  /// What single captures can ask of the camera. One that does not answer has nothing; that it cannot stream is told
  /// elsewhere.
  private func findShotCapabilities(_ resolved: inout ResolvedConfiguration, of camera: Device?) async {
    guard let input = resolved.input, case let device = input.deviceID,
      let photo = resolved.outputs.firstIndex(where: { $0.kind == .photo })
    else { return }
    if let controls = try? await devices.controls(of: device) {
      resolved.outputs[photo].photo.shots = ShotPlan(controls, deviceID: device).capabilities
    } else if device == self.resolved.input?.deviceID {
      resolved.outputs[photo].photo.shots =
        self.resolved.outputs.first { $0.kind == .photo }?.photo.shots ?? ShotCapabilities()
    }
    resolved.outputs[photo].photo.shots.sizes = camera?.photoSizes(of: input.request) ?? [input.request.size]
  }

  /// - Returns: what stands against it.
  private func resolvePhotoSize(_ wanted: Size?, _ resolved: inout ResolvedConfiguration) -> CaptureError? {
    guard let wanted, let photo = resolved.outputs.firstIndex(where: { $0.kind == .photo }) else { return nil }
    let sizes = resolved.outputs[photo].photo.shots.sizes
    guard sizes.contains(wanted) else {
      let supported = sizes.map { "\($0)" }.joined(separator: ", ")
      return CaptureError(
        .notSupportedInConfiguration,
        "Photos of this format measure \(supported); \(wanted) was asked for. Take one of those, or leave "
          + "max_photo_dimensions unset.",
        metadata: ["value": "\(wanted)", "supported": supported], field: "configuration.photo.max_photo_dimensions")
    }
    // The streamed size is what photos have anyway: naming it changes nothing.
    resolved.outputs[photo].photo.maxSize = wanted == sizes.first ? nil : wanted
    return nil
  }

  /// Who reads the session meanwhile sees the former configuration: the new one is taken over at the end, at once.
  ///
  /// - Returns: whether it was lengthy: the device was restarted, or photos are made otherwise.
  func commit(
    _ asked: SessionConfiguration, _ resolved: ResolvedConfiguration, _ format: StreamFormat?, _ demand: CostDemand?
  ) async throws -> Bool {
    let prepared = Set(outputs.values.filter(\.isPrepared).map(\.configuration.id))
    let plan = CommitPlan(
      from: self.resolved, to: resolved, isStreaming: source != nil, prepared: prepared,
      made: outputs.mapValues(\.kind))
    if plan.restart != nil, let input = resolved.input { try devices.claim(input.deviceID, for: id) }

    var next = outputs.filter { plan.kept.contains($0.key) }
    for output in plan.added { next[output.id] = HostedOutput(output, makeOutput(output, context)) }
    var hasBegun = false
    do throws(CaptureError) {
      try await prepare(plan.preparedFirst.compactMap { next[$0] }, on: resolved.input?.deviceID)
      if plan.isLengthy {
        hasBegun = true
        beginReconfiguration()
      }
      // The former source's frames must not be taken for the new one's: neither those still to come, nor those kept.
      if plan.restart != nil { await stopSource() }
      connect(next, by: resolved, revision: revision + 1)
      if plan.restart != nil, let input = resolved.input {
        // The former camera's stalls say nothing of this one.
        try await startSource(
          input, window: resolved.zeroShutterLagWindow, format: format, patience: RetrySchedule().patience)
      }
    } catch {
      await rollBack(plan, added: plan.added.compactMap { next[$0.id] }, hasBegun: hasBegun)
      throw error
    }
    // A deferred start of the former configuration ends before the new one may begin.
    await deferredStartEnded()
    takeOver(plan, asked, resolved, source?.format ?? format, demand, next)
    takeConfirmedRate()
    if plan.isLengthy { events.append(.reconfigurationFinished(revision: revision)) }
    // Another policy, or another camera.
    await adapt()
    return plan.isLengthy
  }

  private func beginReconfiguration() {
    events.append(.reconfigurationStarted)
    for hosted in outputs.values { hosted.output.reconfigurationWillBegin() }
  }

  /// Puts back what a commit that failed has touched. The former configuration was never given up.
  private func rollBack(_ plan: CommitPlan, added: [HostedOutput], hasBegun: Bool) async {
    defer { if hasBegun { events.append(.reconfigurationFinished(revision: revision)) } }
    connect(outputs, by: resolved, revision: revision)
    let gone = CaptureError(.outputRemoved, "The configuration that added this output was not taken.")
    for hosted in added { hosted.output.close(gone) }
    recorder.record { [ids = Set(outputs.keys)] in $0.keepOutputs(ids) }
    guard plan.restart != nil, let input = resolved.input else { return }
    devices.release(from: id, except: input.deviceID)
    guard source == nil else { return }
    // Whatever a device sent that then did not start.
    pipeline.ring.removeAll()
    do {
      try await startSource(input, window: resolved.zeroShutterLagWindow, format: format)
      takeConfirmedRate()
    } catch {
      await apply(.sourceLost(Self.since(error)))
      tellWhatToExpect()
    }
  }

  /// While no frames come.
  private func tellWhatToExpect() {
    for hosted in outputs.values { hosted.output.expectFrames(of: format?.layout) }
  }

  /// The moment of the commit: from the first line to the last nobody else is let in.
  private func takeOver(
    _ plan: CommitPlan, _ asked: SessionConfiguration, _ resolved: ResolvedConfiguration, _ format: StreamFormat?,
    _ demand: CostDemand?, _ next: [String: HostedOutput]
  ) {
    let former = outputs
    if resolved.input?.deviceID != self.resolved.input?.deviceID
      || resolved.input?.request != self.resolved.input?.request
    {
      schedule = RetrySchedule()
    }
    (self.asked, self.resolved, self.format, self.demand, outputs) = (asked, resolved, format, demand, next)
    revision += 1
    for output in resolved.outputs { next[output.id]?.configuration = output }
    if machine.status.state != .stopped, let input = resolved.input {
      // An interrupted session takes the new camera with the next attempt. One that somebody else holds is no reason to
      // refuse: it shows as that interruption then.
      try? devices.claim(input.deviceID, for: id)
      devices.release(from: id, except: input.deviceID)
    }
    let now = SystemClock.monotonicNanoseconds()
    recorder.record { [ids = Set(next.keys)] timeline in
      timeline.configurationCommitted = now
      // Ids of former outputs would pile up.
      timeline.keepOutputs(ids)
    }
    if let format { setMemory(ringPlan(window: resolved.zeroShutterLagWindow, format: format)) }
    for outputID in plan.removed {
      former[outputID]?.output.close(
        CaptureError(
          .outputRemoved, "A commit removed output \(outputID); attach to another.",
          metadata: ["session": id, "output": outputID]))
    }
    for output in plan.added { next[output.id]?.output.sessionDidChange(machine.status) }
    if source == nil { tellWhatToExpect() }
    events.append(.configurationCommitted(etag: etag(of: revision), revision: revision, reconfigured: plan.isLengthy))
    // Told after the commit it belongs to: with a frame there already it may begin at once.
    armDeferredStart()
    logger.info(
      "configuration committed",
      metadata: ["revision": "\(revision)", "restart": "\(plan.restart.map { "\($0)" } ?? "none")"])
  }

  private func armDeferredStart() {
    let waiting = resolved.deferredOutputs.filter { outputs[$0]?.isPrepared == false }
    cancelFallback()
    if source != nil { expectFirstFrames() }
    perform(
      deferredStart.commit(
        deferred: waiting, triggers: streamingOutputs(), automatic: resolved.automaticallyRunsDeferredStart,
        isRunning: source != nil, hasFrame: pipeline.ring.newest != nil, read: readOutputs()))
  }
}

extension Device {
  /// What photos may measure while `request` streams: that, then what is larger each way in the same pixel format. Not
  /// where pixels are combined, which would give no more of the picture.
  fileprivate func photoSizes(of request: StreamRequest) -> [Size] {
    let larger = formats.filter { $0.pixelFormat == request.pixelFormat && $0.supportsHighestPhotoQuality }
      .map(\.largestSize)
      .filter { $0.width >= request.size.width && $0.height >= request.size.height && $0 != request.size }
    return [request.size] + Set(larger).sorted { $0.pixelCount < $1.pixelCount }
  }
}
