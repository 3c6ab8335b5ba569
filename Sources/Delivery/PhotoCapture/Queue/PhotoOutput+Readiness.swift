public import CaptureCore
internal import Synchronization

extension PhotoOutput {
  /// Whether the next photo may be asked for.
  public var readiness: CaptureReadiness { state.withLock(\.readiness) }

  /// Readiness from now on, the present value first. Once closed it throws the error of that.
  ///
  /// - Throws: `tooManyRequests` above 256 watchers.
  public func watchReadiness() throws(CaptureError) -> ReadinessUpdates {
    let (changes, continuation) = AsyncThrowingStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let token = RandomToken.make()
    let closed = try state.withLock { state throws(CaptureError) in
      if state.queue.closed == nil {
        try state.tracked.addWatcher(token)
        state.watchers[token] = continuation
      }
      return state.queue.closed
    }
    continuation.onTermination = { [weak self] _ in self?.removeWatcher(token) }
    if let closed {
      continuation.finish(throwing: closed)
    } else {
      continuation.yield(())
    }
    return ReadinessUpdates(token: token, changes: changes) { [weak self] in self?.readiness ?? .sessionNotRunning }
  }

  /// Runs `body`, which reads ``events``, as one of those who watch captures.
  ///
  /// - Throws: `tooManyRequests` above 256 of them; what `body` throws.
  public func watchingCaptures(_ body: () async throws -> Void) async throws {
    try state.withLock { state throws(CaptureError) in
      guard state.captureWatchers < Self.maxWatchers else { throw Self.tooManyWatchers("WatchCaptures") }
      state.captureWatchers += 1
    }
    defer { state.withLock { $0.captureWatchers -= 1 } }
    try await body()
  }

  static func tooManyWatchers(_ method: String) -> CaptureError {
    CaptureError(
      .tooManyRequests,
      "The photo output has \(maxWatchers) \(method) already, which is the most it takes; close some.",
      metadata: ["method": method, "limit": "\(maxWatchers)"])
  }

  private func removeWatcher(_ token: String) {
    update { state in
      state.watchers[token] = nil
      state.tracked.removeWatcher(token)
    }
  }

  /// Counts a capture into readiness before it is asked for. Ends when it is, by ``stopTracking(_:)``, or when the watcher
  /// goes.
  ///
  /// - Parameter watcher: ``ReadinessUpdates/token``; nil for all watchers of this output, and ten seconds at most.
  /// - Returns: readiness afterwards.
  /// - Throws: `invalidArgument`, `settingsIDReused`, `streamNotFound`, `tooManyRequests`; once closed, the error of that.
  @discardableResult
  public func startTracking(_ request: PhotoRequest, watcher: String?) throws(CaptureError) -> CaptureReadiness {
    guard !request.uniqueID.isEmpty else {
      throw CaptureError(
        .invalidArgument, "Tracking needs settings.unique_id, which the capture will have too.",
        field: "settings.unique_id")
    }
    return try update { state throws(CaptureError) in
      if let closed = state.queue.closed { throw closed }
      let features = state.queue.features
      try request.validate(features)
      // Asked for already, it would be tracked for ever.
      if store.isUsed(request.uniqueID) { throw CaptureLedger.reused(request.uniqueID) }
      let setsCamera = request.shot(flash: request.exposure.flashMode == .on, features.shots) != nil
      try state.tracked.start(
        request.uniqueID, watcher: watcher, waitsForSensor: !features.zeroShutterLag || setsCamera, at: now())
      return state.readiness
    }
  }

  /// - Returns: readiness afterwards.
  @discardableResult
  public func stopTracking(_ uniqueID: String) -> CaptureReadiness {
    update { state in
      state.tracked.stop(uniqueID)
      return state.readiness
    }
  }
}
