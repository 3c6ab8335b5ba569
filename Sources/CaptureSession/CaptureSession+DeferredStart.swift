internal import CaptureCore

/// Preparing outputs, at once or later.
extension CaptureSession {
  func perform(_ actions: [DeferredStart.Action]) {
    for action in actions {
      switch action {
      case .run(let outputs): deferredRun = Task { try await self.prepareDeferred(outputs) }
      case .armFallback:
        Task { [weak self] in
          try? await Task.sleep(for: .seconds(1))
          await self?.fallbackFired()
        }
      }
    }
  }

  private func fallbackFired() { perform(deferredStart.fallbackFired()) }

  private func prepareDeferred(_ ids: [String]) async throws(CaptureError) {
    events.append(.willRunDeferredStart(outputs: ids))
    recorder.record { $0.deferredStartBegin = SystemClock.monotonicNanoseconds() }
    do throws(CaptureError) {
      for id in ids { try await prepare(id) }
    } catch {
      events.append(.runtimeError(error))
      throw error
    }
    recorder.record { $0.deferredStartEnd = SystemClock.monotonicNanoseconds() }
    events.append(.didRunDeferredStart(outputs: ids))
  }

  /// Prepares an output unless it is prepared.
  func prepare(_ id: String) async throws(CaptureError) {
    guard let hosted = outputs[id], !hosted.isPrepared else { return }
    let begin = SystemClock.monotonicNanoseconds()
    recorder.record { $0.outputs[id] = .init(begin: begin) }
    try await hosted.output.prepare()
    // A commit may have replaced it meanwhile.
    if outputs[id]?.output === hosted.output { outputs[id]?.isPrepared = true }
    recorder.record { $0.outputs[id]?.end = SystemClock.monotonicNanoseconds() }
  }

  /// For a capture that needs a deferred output: runs deferred start unless it ran, and waits for its end.
  func runDeferredStartAndWait() async throws(CaptureError) {
    perform(deferredStart.run())
    do { try await deferredRun?.value } catch let error as CaptureError { throw error } catch {
      throw CaptureError(.operationInterrupted, "Deferred start was interrupted.")
    }
  }
}
