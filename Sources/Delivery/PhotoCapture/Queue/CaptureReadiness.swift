internal import CaptureCore

/// Whether a client may ask for the next photo. The output accepts requests in every state except `sessionNotRunning`,
/// but a request that comes while the output is not ready takes longer.
public enum CaptureReadiness: Hashable, Sendable, CaseIterable {
  /// The session does not run, or the connection of the output is disabled. The output refuses requests.
  case sessionNotRunning
  /// The output handles a request at once.
  case ready
  /// The output is about to be ready: it is being prepared, or a photo thread is about to be free.
  case notReadyMomentarily
  /// A capture waits for its frame.
  case notReadyWaitingForCapture
  /// A photo is being processed.
  case notReadyWaitingForProcessing
}

extension CapturePlaces {
  /// Whether a client may ask for the next photo. A tracked capture counts as one that was asked for.
  ///
  /// With responsive capture, the output is ready while it would process a request at once. Without it, the output is
  /// ready while no capture is under way.
  func readiness(tracked: TrackedCaptures = TrackedCaptures()) -> CaptureReadiness {
    if !isRunning { return .sessionNotRunning }
    if !isPrepared { return .notReadyMomentarily }
    if tracked.waitsForSensor || entries.contains(where: waitsForSensor) { return .notReadyWaitingForCapture }
    if features.responsiveCapture {
      let isFree = entries.count + abandoned.count < features.maxInFlight && entries.allSatisfy(isPastProcessing)
      return isFree && !abandoned.values.contains(true) && tracked.isEmpty ? .ready : .notReadyMomentarily
    }
    return isIdle && tracked.isEmpty ? .ready : .notReadyWaitingForProcessing
  }

  private func waitsForSensor(_ entry: Entry) -> Bool {
    switch entry.stage {
    case .shooting, .matching: true
    case .queued, .beginning: entry.traits.setsCamera || entry.awaitsSettling
    // An empty ring has a frame in a moment, so a capture that could use it does not count as waiting.
    case .waiting, .gathering: entry.traits.waitsForSensor || !features.responsiveCapture
    default: false
    }
  }

  private func isPastProcessing(_ entry: Entry) -> Bool {
    switch entry.stage {
    case .encoding, .finished, .delivering: true
    default: false
    }
  }
}
