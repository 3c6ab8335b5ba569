public import SystemClocks

/// An output's view of its session, and the calls that an output may make to the session.
public protocol OutputContext: AnyObject, Sendable {
  /// The session's id.
  var sessionID: String { get }

  /// The newest frames of the camera, kept from STREAMON on.
  var history: any FrameHistory { get }

  /// How long a capture waits for a frame of the present stream before the output gives the capture up, in nanoseconds.
  var framePatienceNanoseconds: UInt64 { get }

  /// Runs deferred start, unless deferred start has already run for this commit, and returns when every deferred output
  /// is prepared.
  ///
  /// - Parameter opensCameras: whether to return only when the cameras that wait for deferred start are open, too, or
  ///   cannot be opened now.
  func runDeferredStartIfNeeded(opensCameras: Bool) async throws(CaptureError)

  /// Tells the session that `output` handed a frame to a reader. The call is cheap; the output makes it for every
  /// frame.
  func didSend(_ frame: Frame, from output: String)

  /// Gives every frame of cameras that are connected to the output to `tap` from now on, in place of those that an
  /// earlier call named.
  ///
  /// - Parameter inputs: the ids of the cameras' inputs; none ends it.
  func tap(_ inputs: Set<String>, for tap: any FrameTap)

  /// Sets the camera for each step of `shot` in turn, and sets the camera back when the shot is over, whether the shot
  /// succeeded or not. The session does nothing else meanwhile, and shots wait for one another.
  ///
  /// - Parameters:
  ///   - isWanted: the session asks this function when the shot's turn has come. If the answer is false, the session
  ///     leaves the camera alone.
  ///   - take: takes the frames of one step. The session cancels it when these frames cannot come any more.
  /// - Returns: the instant from which on frames have the camera's former settings again.
  /// - Throws: ``ShotFailure`` for an error after the first setting of the camera was changed: an error that `take`
  ///   threw, an error that the camera answered to its settings, or `operationInterrupted` when the camera brought no
  ///   frame within ``framePatienceNanoseconds``. Before that, `sessionNotRunning`, `operationInterrupted`, or
  ///   `CancellationError` when `isWanted` answered false.
  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool,
    _ take: @escaping @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void
  ) async throws -> MonotonicInstant
}

extension OutputContext {
  /// Runs deferred start as ``runDeferredStartIfNeeded(opensCameras:)``, and does not wait for cameras.
  public func runDeferredStartIfNeeded() async throws(CaptureError) {
    try await runDeferredStartIfNeeded(opensCameras: false)
  }
}
