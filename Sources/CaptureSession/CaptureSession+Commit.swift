public import CaptureCore
internal import Logging

/// One atomic commit: all of a configuration or none of it.
extension CaptureSession {
  /// What a commit did, or would do.
  public struct CommitResult: Sendable {
    public var snapshot: SessionSnapshot
    /// With `validateOnly`: everything that stands against it.
    public var issues: [CaptureError]
    /// Whether the device was restarted.
    public var reconfigured: Bool
  }

  /// Takes over a whole configuration.
  ///
  /// A configuration equal to the present one changes nothing. While running, the device is restarted only when the
  /// device, the format or the rate differs; if the new one does not start, the former one is started again.
  ///
  /// - Throws: `etagMismatch`, ``ConfigurationError`` with every issue, and what the device says.
  public func configure(
    _ asked: SessionConfiguration, etag: String, validateOnly: Bool
  ) async throws -> CommitResult {
    try await serially { session in
      try session.checkAlive()
      try session.check(etag: etag)
      let (resolved, format, issues) = await session.resolve(asked)
      if validateOnly {
        let snapshot = session.snapshot(asked: asked, resolved: resolved, revision: session.revision)
        return CommitResult(snapshot: snapshot, issues: issues, reconfigured: false)
      }
      guard issues.isEmpty else { throw ConfigurationError(issues: issues) }
      if asked == session.asked, resolved == session.resolved {
        return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: false)
      }
      let reconfigured = try await session.commit(asked, resolved, format)
      return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: reconfigured)
    }
  }

  func resolve(
    _ asked: SessionConfiguration
  ) async -> (ResolvedConfiguration, StreamFormat?, [CaptureError]) {
    var (resolved, issues) = ConfigurationResolver.resolve(asked, devices: await devices.devices())
    // An interrupted session wants to run too: without a camera it would wait for ever.
    if issues.isEmpty, machine.status.state != .stopped, resolved.input == nil || resolved.outputs.isEmpty {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration, "A running session needs a camera and an output; stop it first.",
          metadata: ["session": id], field: "configuration"))
    }
    guard issues.isEmpty, let input = resolved.input else { return (resolved, nil, issues) }
    var format: StreamFormat?
    if let source, input == self.resolved.input {
      // The driver already told, and a streaming device is not to be asked again.
      format = source.format
    } else {
      do { format = try await devices.resolve(input.request, on: input.deviceID) } catch {
        var issue = error
        issue.field = "configuration.inputs[0].format"
        issues.append(issue)
      }
    }
    if let format {
      resolved.zeroShutterLagWindow = RingPlan(window: resolved.zeroShutterLagWindow, format: format).windowNanoseconds
    }
    return (resolved, format, issues)
  }

  /// - Returns: whether the device was restarted.
  func commit(
    _ asked: SessionConfiguration, _ resolved: ResolvedConfiguration, _ format: StreamFormat?
  ) async throws -> Bool {
    let former = (resolved: self.resolved, format: self.format, outputs: outputs)
    var next: [String: HostedOutput] = [:]
    for output in resolved.outputs {
      if let kept = outputs[output.id], kept.configuration.kind == output.kind {
        next[output.id] = kept
        next[output.id]?.configuration = output
      } else {
        next[output.id] = HostedOutput(configuration: output, output: makeOutput(output, context))
      }
    }
    let restart = source != nil && resolved.input != former.resolved.input
    if restart, let input = resolved.input { try await devices.claim(input.deviceID, for: id) }

    // Who reads the session meanwhile sees the old configuration or the new one, never half of each.
    resolvedBeforeCommit = former.resolved
    defer { resolvedBeforeCommit = nil }
    self.resolved = resolved
    self.format = format
    outputs = next
    do {
      if source != nil { try await prepareUndeferred() }
      // The former source's frames must not be taken for the new one's: neither those still to come, nor those kept.
      if restart { await stopSource() }
      pipeline.configure(
        outputs: next.values.map(\.output), input: resolved.input?.id ?? "", revision: revision + 1)
      if restart, let input = resolved.input { try await startSource(input) }
    } catch {
      await rollBack(to: former, restarting: restart, added: next)
      throw error
    }
    if machine.status.state == .interrupted, let input = resolved.input {
      // The next attempt to resume takes the new camera; a device somebody else holds shows as that interruption.
      await devices.release(from: id, except: input.deviceID)
    } else if machine.status.state == .running {
      await devices.release(from: id, except: resolved.input?.deviceID)
    }
    finishCommit(asked, former: former.outputs, restarted: restart)
    return restart
  }

  private func stopSource() async {
    await source?.stop()
    source = nil
    pipeline.ring.removeAll()
  }

  private func rollBack(
    to former: (resolved: ResolvedConfiguration, format: StreamFormat?, outputs: [String: HostedOutput]),
    restarting: Bool, added: [String: HostedOutput]
  ) async {
    resolved = former.resolved
    format = former.format
    outputs = former.outputs
    pipeline.configure(
      outputs: outputs.values.map(\.output), input: resolved.input?.id ?? "", revision: revision)
    let gone = CaptureError(.outputRemoved, "The configuration that added this output was not taken.")
    for (id, hosted) in added where outputs[id]?.output !== hosted.output { hosted.output.close(gone) }
    guard restarting, let input = resolved.input else { return }
    await devices.release(from: id, except: input.deviceID)
    if source == nil {
      do { try await startSource(input) } catch { await apply(.sourceLost(error)) }
    }
  }

  private func finishCommit(_ asked: SessionConfiguration, former: [String: HostedOutput], restarted: Bool) {
    self.asked = asked
    revision += 1
    let now = SystemClock.monotonicNanoseconds()
    // Of the outputs there are: ids of former ones would pile up.
    recorder.record { [outputs] timeline in
      timeline.configurationCommitted = now
      timeline.outputs = timeline.outputs.filter { outputs[$0.key] != nil }
    }
    if let format {
      pipeline.ring.setLimits(RingPlan(window: resolved.zeroShutterLagWindow, format: format).limits)
    }
    for (id, hosted) in former where outputs[id]?.output !== hosted.output {
      hosted.output.close(
        CaptureError(.outputRemoved, "A commit removed output \(id).", metadata: ["session": self.id, "output": id]))
    }
    for (id, hosted) in outputs where former[id]?.output !== hosted.output {
      hosted.output.sessionDidChange(machine.status)
    }
    let waiting = resolved.deferredOutputs.filter { outputs[$0]?.preparation.isWaiting == true }
    if source != nil { expectFirstFrames() }
    perform(
      deferredStart.commit(
        deferred: waiting, triggers: streamingOutputs(), automatic: resolved.automaticallyRunsDeferredStart,
        isRunning: source != nil, hasFrame: pipeline.ring.newest != nil))
    events.append(.configurationCommitted(etag: etag(of: revision), revision: revision, reconfigured: restarted))
    logger.info("configuration committed", metadata: ["revision": "\(revision)", "reconfigured": "\(restarted)"])
  }
}
