public import SystemClocks

/// When each step of a launch happened. A step that did not happen is nil.
public struct LaunchTimeline: Hashable, Sendable {
  /// When the daemon's process began.
  public var processStart: MonotonicInstant?
  /// When the daemon began to take calls.
  public var serverReady: MonotonicInstant?
  /// When the session was created.
  public var sessionCreated: MonotonicInstant?
  /// When the newest commit was taken over.
  public var configurationCommitted: MonotonicInstant?
  /// When the start was requested.
  public var startRequested: MonotonicInstant?
  /// When the device streamed, so that the start could return.
  public var startReturned: MonotonicInstant?
  /// The stream of the launch's first frame, whichever camera it is of; not a time.
  public var streamID: UInt64?
  /// The driver's time stamp of the first frame.
  public var firstFrameCaptured: MonotonicInstant?
  /// When a reader of a preview was handed its first frame.
  public var firstFrameSent: MonotonicInstant?
  /// The first settled frame.
  public var firstSettledFrame: SettledFrame?
  /// The newest run of deferred start, which ends when every output is prepared.
  public var deferredStart = Span()
  /// The launch of each camera that was asked to run, by the id of its input.
  public var cameras: [String: Camera] = [:]
  /// The preparation of each output, by output id.
  public var outputs: [String: Span] = [:]

  /// A frame of settled exposure.
  public struct SettledFrame: Hashable, Sendable {
    /// The driver's time stamp.
    public var captured: MonotonicInstant
    /// The driver's sequence.
    public var sequence: UInt64
  }

  /// When each step of the launch of one camera happened.
  public struct Camera: Hashable, Sendable {
    /// When a client asked for the camera, with the start of the session or with a commit.
    public var requested: MonotonicInstant?
    /// The opening of the device, which ends when the device streams.
    public var start = Span()
    /// The stream of the camera's first frame; not a time.
    public var streamID: UInt64?
    /// The driver's time stamp of that frame.
    public var firstFrameCaptured: MonotonicInstant?
    /// The stream with which a commit opened the camera. The report of a frame of an earlier stream may come late, and
    /// says nothing of this launch.
    var earliestStream: UInt64 = 0

    /// Creates a launch that has not begun.
    ///
    /// - Parameter requested: when a client asked for the camera.
    public init(requested: MonotonicInstant? = nil) { self.requested = requested }
  }

  /// When work began and ended.
  public struct Span: Hashable, Sendable {
    /// When the work began; nil when it did not.
    public var begin: MonotonicInstant?
    /// When the work ended; nil while it is under way or when it failed.
    public var end: MonotonicInstant?
  }

  /// A timeline without any step.
  public init() {}

  /// Begins the timeline of a new launch. Times of the daemon, the session and the commit stay, and so do those of
  /// outputs, which remain prepared.
  mutating func restart(at instant: MonotonicInstant) {
    var next = LaunchTimeline()
    next.processStart = processStart
    next.serverReady = serverReady
    next.sessionCreated = sessionCreated
    next.configurationCommitted = configurationCommitted
    next.outputs = outputs
    next.startRequested = instant
    self = next
  }

  /// Removes the outputs that are not in `ids`.
  mutating func keepOutputs(_ ids: Set<String>) { outputs = outputs.filter { ids.contains($0.key) } }
}
