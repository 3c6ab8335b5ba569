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

/// The recent frames of a camera, which can be found by sequence number or by time.
public protocol FrameHistory: Sendable {
  /// Finds the frame at `moment`, or the nearest one.
  ///
  /// - Returns: nil when no frame is kept. `exact` is false when the frame with this sequence number is not kept, or
  ///   when the time is more than half a period before the oldest or after the newest frame that is kept. (A frame
  ///   stands for the time from half a period before it to half a period after it.)
  func frame(nearest moment: CaptureMoment) -> (frame: CapturedFrame, exact: Bool)?

  /// The newest frame; nil when no frame is kept.
  var newest: CapturedFrame? { get }

  /// The id of the earliest stream that is not over. No reader may be shown frames of earlier streams, even while the
  /// present stream has no frame yet.
  var earliestStreamID: UInt64 { get }

  /// Whether frames of a stream must not be shown any more: the stream is over, or is that of a camera which the output
  /// had before. A stream can be over before the next stream has its first frame.
  func isOver(stream: UInt64) -> Bool
}

extension FrameHistory {
  /// 0, so that no stream counts as over, unless the history implements this property.
  public var earliestStreamID: UInt64 { 0 }

  /// Whether a later stream has begun, unless the history implements this method.
  public func isOver(stream: UInt64) -> Bool { max(earliestStreamID, newest?.frame.streamID ?? 0) > stream }

  /// Whether `instant` lies at most half a period before the oldest or after the newest of a row of frames.
  ///
  /// - Parameters:
  ///   - count: the number of frames in the row, which gives the mean period; a single frame has a period of 0.
  ///   - oldest: the time of the oldest frame.
  ///   - newest: the time of the newest frame.
  public static func covers<Instant: ClockInstant>(
    _ instant: Instant, count: Int, oldest: Instant, newest: Instant
  ) -> Bool {
    let half = count > 1 ? newest.nanoseconds(since: oldest) / UInt64(2 * (count - 1)) : 0
    return instant >= oldest - half && instant <= newest + half
  }
}

/// The instant for which a client asks for a photo.
public enum CaptureMoment: Hashable, Sendable {
  /// The very frame that the person saw, by its sequence number. If the stream id is nil, the number belongs to the
  /// present stream.
  case sequence(UInt64, streamID: UInt64?)
  /// A time of the wall clock.
  case wallTime(WallInstant)
  /// A time of the clock by which drivers stamp frames.
  case monotonic(MonotonicInstant)
}

extension CaptureError {
  /// The error of a call that needs frames of an output that has none.
  ///
  /// - Parameters:
  ///   - output: the id of the output.
  ///   - status: what the output knows of its session, or of its camera when the session has several. Such a camera may
  ///     be away alone, when no start of the session would bring it back.
  ///   - session: the id of the session.
  public static func noFrames(of output: String, _ status: SessionStatus, in session: String) -> CaptureError {
    let why: String
    if let interruption = status.interruption {
      why = "\(interruption.text)); call again when it has frames."
    } else if status.awaitsDeferredStart {
      why =
        "its camera waits for deferred start); call again when that has run. If the session does not run it by itself, "
        + "call RunDeferredStart."
    } else if status.state == .starting {
      why = "it is starting); call again when it runs."
    } else {
      why = "it is \(status.state)); start session \(session)."
    }
    var error = CaptureError(
      .sessionNotRunning, "Output \(output) has no frames now (\(why)",
      metadata: ["session": session, "output": output, "state": "\(status.state)"])
    error.metadata["interruption"] = status.interruption?.name
    if status.awaitsDeferredStart { error.metadata["awaits"] = "deferred_start" }
    return error
  }
}
