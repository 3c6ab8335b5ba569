public import CaptureCore
internal import Locking

extension PhotoOutput {
  /// Whether a client may ask for the next photo.
  public var readiness: CaptureReadiness { queue.read { $0.readiness } }

  /// Returns readiness from now on, the present value first. Once the output is closed, the sequence throws the error
  /// that closed it.
  ///
  /// - Throws: `tooManyRequests` above 256 watchers.
  public func watchReadiness() throws(CaptureError) -> ReadinessUpdates {
    let token = RandomToken.make()
    try queue.update { queue throws(CaptureError) in
      guard queue.places.closed == nil else { return }
      try queue.changeTracked { tracked throws(CaptureError) in try tracked.addWatcher(token) }
    }
    let changes = queue.readinessChanged.watch { [weak queue] in
      queue?.update { $0.changeTracked { $0.removeWatcher(token) } }
    }
    return ReadinessUpdates(token: token, changes: changes) { [weak queue] in
      queue?.read { ($0.readiness, $0.places.closed) } ?? (.sessionNotRunning, nil)
    }
  }

  /// Counts a capture into readiness before the client asks for it. This ends when the client asks for it, by
  /// ``stopTracking(_:)``, or when the watcher goes.
  ///
  /// - Parameter watcher: ``ReadinessUpdates/token``. Nil: all watchers of this output together, and at most ten
  ///   seconds.
  /// - Returns: readiness afterwards.
  /// - Throws: `invalidArgument`, `settingsIDReused`, `streamNotFound`, `tooManyRequests`; once closed, the error that
  ///   closed the output.
  @discardableResult
  public func startTracking(_ request: PhotoRequest, watcher: String?) throws(CaptureError) -> CaptureReadiness {
    guard !request.uniqueID.isEmpty else {
      throw CaptureError(
        .invalidArgument, "Tracking needs settings.unique_id, which the capture will have too.",
        field: "settings.unique_id")
    }
    return try queue.update { [queue] machine throws(CaptureError) in
      if let closed = machine.places.closed { throw closed }
      try request.validate(machine.places.features)
      // A capture that was asked for already would be tracked for ever.
      if queue.destination.isUsed(request.uniqueID) { throw .reused(request.uniqueID) }
      try machine.track(request, watcher: watcher, at: queue.now())
      return machine.readiness
    }
  }

  /// Ends the tracking of a capture.
  ///
  /// - Returns: readiness afterwards.
  @discardableResult
  public func stopTracking(_ uniqueID: String) -> CaptureReadiness {
    queue.update { machine in
      machine.changeTracked { $0.stop(uniqueID) }
      return machine.readiness
    }
  }
}
