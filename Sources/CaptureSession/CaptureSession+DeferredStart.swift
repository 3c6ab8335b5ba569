internal import CaptureCore

/// Preparing outputs, at once or later.
extension CaptureSession {
  func perform(_ actions: [DeferredStart.Action]) {
    for action in actions {
      switch action {
      case .run(let outputs):
        cancelFallback()
        deferredRun = Task { try await self.prepareDeferred(outputs) }
      case .armFallback:
        cancelFallback()
        fallback = Task { [weak self, clock] in
          guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
          await self?.fallbackFired()
        }
      }
    }
  }

  /// A timer of a former start or commit must not run the next one's deferred outputs.
  func cancelFallback() {
    fallback?.cancel()
    fallback = nil
  }

  private func fallbackFired() {
    guard !Task.isCancelled else { return }
    fallback = nil
    perform(deferredStart.fallbackFired())
  }

  /// Returns when no deferred start is under way.
  func deferredStartEnded() async {
    var ended: Task<Void, any Error>?
    while let run = deferredRun, run != ended {
      _ = await run.result
      ended = run
    }
  }

  private func prepareDeferred(_ ids: [String]) async throws(CaptureError) {
    events.append(.willRunDeferredStart(outputs: ids))
    recorder.record { $0.deferredStartBegin = SystemClock.monotonicNanoseconds() }
    do throws(CaptureError) {
      for id in ids { if let hosted = outputs[id] { try await prepare(hosted) } }
    } catch {
      events.append(.runtimeError(error))
      throw error
    }
    recorder.record { $0.deferredStartEnd = SystemClock.monotonicNanoseconds() }
    events.append(.didRunDeferredStart(outputs: ids))
  }

  /// Prepares an output unless it is prepared; while somebody else does, waits for that.
  func prepare(_ hosted: HostedOutput) async throws(CaptureError) {
    guard !hosted.isPrepared else { return }
    let preparation = hosted.preparation ?? beginPreparation(of: hosted)
    try await preparation.value.get()
  }

  private func beginPreparation(of hosted: HostedOutput) -> Task<Result<Void, CaptureError>, Never> {
    let (id, output) = (hosted.configuration.id, hosted.output)
    recorder.record { $0.outputs[id] = .init(begin: SystemClock.monotonicNanoseconds()) }
    let task = Task { () -> Result<Void, CaptureError> in
      defer { hosted.preparation = nil }
      do throws(CaptureError) { try await output.prepare() } catch { return .failure(error) }
      hosted.isPrepared = true
      recorder.record { $0.outputs[id]?.end = SystemClock.monotonicNanoseconds() }
      return .success(())
    }
    hosted.preparation = task
    return task
  }

  /// For a capture that needs a deferred output: runs deferred start unless it ran, and waits for its end.
  func runDeferredStartAndWait() async throws(CaptureError) {
    perform(deferredStart.run())
    do { try await deferredRun?.value } catch let error as CaptureError { throw error } catch {
      throw CaptureError(.operationInterrupted, "Deferred start was interrupted.")
    }
  }
}
