internal import CaptureCore

/// Preparing outputs, at once or later.
extension CaptureSession {
  func perform(_ actions: [DeferredStart.Action]) {
    for action in actions {
      switch action {
      case .emit(let event): emit(event)
      case .prepare(let outputs, let run):
        // Below the calls of clients: the preview that is being watched goes first.
        deferredRuns[run] = Task(priority: .utility) { await self.prepareDeferred(outputs, run) }
      case .armFallback(let number):
        Task { [weak self] in
          try? await Task.sleep(for: .seconds(1))
          await self?.fallbackFired(number)
        }
      }
    }
  }

  private func emit(_ event: SessionEvent) {
    let now = SystemClock.monotonicNanoseconds()
    switch event {
    case .willRunDeferredStart:
      recorder.record { timeline in
        timeline.deferredStartBegin = now
        timeline.deferredStartEnd = nil
      }
    case .didRunDeferredStart: recorder.record { $0.deferredStartEnd = now }
    default: break
    }
    events.append(event)
    if case .didRunDeferredStart = event { tellLaunch() }
  }

  private func fallbackFired(_ number: Int) { perform(deferredStart.fallbackFired(number)) }

  private func prepareDeferred(_ ids: [String], _ run: Int) async -> CaptureError? {
    let failure = await prepare(ids)
    deferredRuns[run] = nil
    perform(deferredStart.ended(run, failure))
    return failure
  }

  /// Prepares outputs side by side, those that are not prepared yet.
  ///
  /// - Returns: when all have ended, why the first of `ids` that failed did.
  func prepare(_ ids: [String]) async -> CaptureError? {
    await withTaskGroup { group in
      for (index, id) in ids.enumerated() { group.addTask { (index, await self.prepare(id)) } }
      var failures: [Int: CaptureError] = [:]
      for await (index, failure) in group { failures[index] = failure }
      return failures.min { $0.key < $1.key }?.value
    }
  }

  private func prepare(_ id: String) async -> CaptureError? {
    guard let hosted = outputs[id], !hosted.preparation.isDone else { return nil }
    // Deferred start and a commit may ask for the same output: it is prepared once, and both wait.
    if let underWay = hosted.preparation.underWay { return await underWay.value }
    let task = Task { await self.carryOut(hosted) }
    hosted.preparation.underWay = task
    return await task.value
  }

  private func carryOut(_ hosted: HostedOutput) async -> CaptureError? {
    let id = hosted.configuration.id
    let begin = SystemClock.monotonicNanoseconds()
    recorder.record { $0.outputs[id] = .init(begin: begin) }
    defer { hosted.preparation.underWay = nil }
    do throws(CaptureError) {
      // A preview makes its encoders when somebody watches; there is nothing in its preparation to be slow.
      if !hosted.configuration.kind.isPreview, let device = resolved.input?.deviceID {
        let delay = await devices.outputInitDelay(of: device)
        if delay > .zero { try? await Task.sleep(for: delay) }
      }
      try await hosted.output.prepare()
    } catch {
      // A commit removed it meanwhile: nobody misses it.
      return outputs[id]?.output === hosted.output ? error : nil
    }
    hosted.preparation.isDone = true
    if outputs[id]?.output === hosted.output {
      recorder.record { $0.outputs[id]?.end = SystemClock.monotonicNanoseconds() }
    }
    return nil
  }

  /// For a capture that needs a deferred output: runs deferred start unless it ran, and waits for its end.
  func runDeferredStartAndWait() async throws(CaptureError) {
    perform(deferredStart.run())
    var failure: CaptureError?
    for run in Array(deferredRuns.values) {
      let ended = await run.value
      failure = failure ?? ended
    }
    if let failure { throw failure }
  }
}

/// Whether an output is prepared. Shared by the copies of a ``CaptureSession/HostedOutput``, so that a commit that is
/// taken back forgets nothing.
final class OutputPreparation {
  var isDone = false
  /// Nobody has begun it.
  var isWaiting: Bool { !isDone && underWay == nil }
  /// Its value tells why it failed.
  var underWay: Task<CaptureError?, Never>?
}
