internal import CaptureCore

/// Whether a session takes calls: from the end of the call that creates it until the session is deleted.
struct SessionLifetime {
  /// Whether the call that makes the session is still about to configure it.
  private(set) var isBeingCreated: Bool
  /// Calls that wait for the end of that. The server bounds how many calls there are.
  private(set) var waiters: [CheckedContinuation<Void, Never>] = []
  private(set) var ended: CaptureError?

  init(isBeingCreated: Bool) { self.isBeingCreated = isBeingCreated }

  mutating func wait(_ waiter: CheckedContinuation<Void, Never>) { waiters.append(waiter) }

  /// The session has its first configuration, or will get none.
  mutating func endCreation() {
    isBeingCreated = false
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  mutating func end(_ error: CaptureError) { ended = error }

  /// - Throws: the error that the session ended with.
  func checkAlive() throws(CaptureError) { if let ended { throw ended } }
}
