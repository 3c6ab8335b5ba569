/// All that an output knows of its session.
public protocol OutputContext: AnyObject, Sendable {
  /// The session's id.
  var sessionID: String { get }

  /// The newest frames, kept by the source from STREAMON on.
  var history: any FrameHistory { get }

  /// How long a capture waits for a frame of the present stream before it is given up, nanoseconds.
  var framePatienceNanoseconds: UInt64 { get }

  /// Runs deferred start unless this commit already did, and returns when every deferred output is prepared.
  func runDeferredStartIfNeeded() async throws(CaptureError)

  /// Says that a reader of `output` was handed a frame. Cheap; call it for every frame.
  func didSend(_ frame: Frame, from output: String)

  /// Sets the camera for each step of `shot` in turn, and back when it is over, whatever became of it. Nothing else happens
  /// to the session meanwhile; shots wait for one another.
  ///
  /// - Parameters:
  ///   - isWanted: asked when its turn has come; when it says no, the camera is left alone.
  ///   - take: takes a step's frames. Cancelled when they cannot come any more.
  /// - Returns: the instant from which frames are as before, CLOCK_MONOTONIC.
  /// - Throws: ``ShotFailure`` once the camera was touched, because of what `take` threw, of what the camera says to its
  ///   settings, or `operationInterrupted` when it brought no frame in ``framePatienceNanoseconds``. Before that
  ///   `sessionNotRunning`, `operationInterrupted`, or `CancellationError` when nobody wants it any more.
  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool,
    _ take: @escaping @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void
  ) async throws -> UInt64
}
