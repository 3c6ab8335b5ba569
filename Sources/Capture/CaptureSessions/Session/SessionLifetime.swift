internal import CaptureCore

/// Where a session is in its life: being created, taking calls, or deleted.
struct SessionLifetime {
  /// Whether the call that creates the session has yet to configure it.
  private(set) var isBeingCreated: Bool
  /// The calls that wait for the end of the creation. The server bounds their number.
  private(set) var waiters: [CheckedContinuation<Void, Never>] = []
  private(set) var ended: CaptureError?

  init(isBeingCreated: Bool) { self.isBeingCreated = isBeingCreated }

  mutating func wait(_ waiter: CheckedContinuation<Void, Never>) { waiters.append(waiter) }

  /// Ends the creation: the session has its first configuration, or will get none.
  mutating func endCreation() {
    isBeingCreated = false
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  mutating func end(_ error: CaptureError) { ended = error }

  /// - Throws: the error that the session ended with.
  func checkAlive() throws(CaptureError) { if let ended { throw ended } }
}
