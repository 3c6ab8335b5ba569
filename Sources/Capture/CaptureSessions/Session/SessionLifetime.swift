internal import CaptureCore
internal import Locking

/// Where a session is in its life: being created, taking calls, or deleted.
struct SessionLifetime {
  /// The end of the creation: the session has its first configuration, or will get none. The calls that wait for it are
  /// as many as the server allows.
  private let creation = Event<Void>()
  private(set) var ended: CaptureError?

  /// - Parameter isBeingCreated: whether the call that creates the session has yet to configure it.
  init(isBeingCreated: Bool) { if !isBeingCreated { creation.happen() } }

  /// Whether the call that creates the session has yet to configure it.
  var isBeingCreated: Bool { creation.valueIfHappened == nil }

  /// Whether a call waits for the end of the creation.
  var isAwaited: Bool { creation.isAwaited }

  /// Returns when the creation has ended.
  func awaitCreation() async { await creation.wait() }

  /// Ends the creation.
  func endCreation() { creation.happen() }

  mutating func end(_ error: CaptureError) { ended = error }

  /// - Throws: the error that the session ended with.
  func checkAlive() throws(CaptureError) { if let ended { throw ended } }
}
