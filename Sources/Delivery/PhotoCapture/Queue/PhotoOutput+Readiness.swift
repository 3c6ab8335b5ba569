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
      try queue.tracked.addWatcher(token)
    }
    let changes = queue.readinessChanged.watch { [weak queue] in
      queue?.update { $0.tracked.removeWatcher(token) }
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
      try machine.tracked.start(request, watcher: watcher, machine.places.features, at: queue.now())
      return machine.readiness
    }
  }

  /// Ends the tracking of a capture.
  ///
  /// - Returns: readiness afterwards.
  @discardableResult
  public func stopTracking(_ uniqueID: String) -> CaptureReadiness {
    queue.update { machine in
      machine.tracked.stop(uniqueID)
      return machine.readiness
    }
  }
}

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

/// Readiness as it changes, the present value first. A slow watcher gets the newest value and misses those before it.
///
/// The sequence throws the `CaptureError` that closed the output. It ends without an error when the task that reads it
/// is cancelled.
public struct ReadinessUpdates: AsyncSequence, Sendable {
  /// The name of this watcher, by which a client can track captures.
  public let token: String
  // An element only says that readiness changed. The iterator reads the value afterwards, so the value is never
  // outdated.
  let changes: AsyncStream<Void>
  /// Readiness, and the error that closed the output.
  let current: @Sendable () -> (CaptureReadiness, closed: CaptureError?)

  /// Reads the value after each change, and leaves out values that are the same as before.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var changes: AsyncStream<Void>.AsyncIterator
    let current: @Sendable () -> (CaptureReadiness, closed: CaptureError?)
    var last: CaptureReadiness?

    /// Waits for the next readiness. Returns nil when the updates have ended.
    public mutating func next() async throws -> CaptureReadiness? {
      while !Task.isCancelled {
        let (readiness, closed) = current()
        if let closed { throw closed }
        if readiness != last {
          last = readiness
          return readiness
        }
        guard await changes.next() != nil else { break }
      }
      if !Task.isCancelled, let closed = current().closed { throw closed }
      return nil
    }
  }

  /// Begins to read the updates.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(changes: changes.makeAsyncIterator(), current: current)
  }
}
