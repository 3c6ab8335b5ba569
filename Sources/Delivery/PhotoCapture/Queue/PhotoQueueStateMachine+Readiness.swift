internal import CaptureCore

extension PhotoQueueStateMachine {
  /// Whether the next photo may be asked for; a tracked capture counts as one that was.
  ///
  /// With responsive capture one is ready while a request would be processed at once; else while nothing is under way.
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
    case .shooting: true
    case .queued, .beginning: entry.traits.setsCamera
    // A ring that has no frame yet has one in a moment.
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
