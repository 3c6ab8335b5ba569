public import CaptureCore

/// The time in which one call makes a session, configures it and perhaps starts it. Whoever asks for its outputs meanwhile waits.
extension CaptureSession {
  /// Opens the session to the callers that wait for its first configuration.
  func endCreation() {
    isBeingCreated = false
    defer { creationWaiters = [] }
    for waiter in creationWaiters { waiter.resume() }
  }

  /// Returns when the session has its first configuration, if the call that makes it brought one.
  ///
  /// - Throws: the reason why the session ended meanwhile.
  public func awaitCreation() async throws(CaptureError) {
    if isBeingCreated { await withCheckedContinuation { creationWaiters.append($0) } }
    try checkAlive()
  }
}
