internal import Locking
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
  /// The first frame, whichever camera it is of.
  public var firstFrame: FirstFrame?
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

  /// The first frame of a launch.
  public struct FirstFrame: Hashable, Sendable {
    /// The driver's time stamp.
    public var captured: MonotonicInstant
    /// The frame's stream.
    public var streamID: UInt64
  }

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
    /// The camera's first frame.
    public var firstFrame: FirstFrame?
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

/// The launches of single cameras. A camera that a commit asks for has a launch of its own in the timeline of the
/// session.
extension LaunchTimeline {
  /// Notes that a camera is about to be opened. A camera that was opened before in its launch has only returned.
  mutating func beginOpening(_ input: String, at instant: MonotonicInstant) {
    var camera = cameras[input] ?? Camera(requested: startRequested)
    camera.start.begin = camera.start.begin ?? instant
    cameras[input] = camera
  }

  /// Notes that a camera streams.
  mutating func endOpening(_ input: String, at instant: MonotonicInstant) {
    guard cameras[input]?.start.end == nil else { return }
    cameras[input]?.start.end = instant
  }

  /// Notes the first frame of a stream. Only the first one of each camera's launch counts, and of them the first one of
  /// the session's.
  mutating func noteFirstFrame(captured: MonotonicInstant, streamID: UInt64, of input: String) {
    cameras[input]?.noteFirstFrame(captured: captured, streamID: streamID)
    firstFrame = firstFrame ?? FirstFrame(captured: captured, streamID: streamID)
  }

  /// Takes over a commit.
  ///
  /// - Parameters:
  ///   - instant: when the commit was taken over.
  ///   - inputs: the ids of all inputs after the commit. The launches of others are removed.
  ///   - asked: the launches of the cameras that the commit asks for, by input id.
  mutating func commit(at instant: MonotonicInstant, inputs: Set<String>, asked: [String: Camera]) {
    configurationCommitted = instant
    cameras = cameras.filter { inputs.contains($0.key) }.merging(asked) { _, new in new }
    for id in asked.keys where cameras[id]?.requested == nil { cameras[id]?.requested = startRequested }
  }
}

extension LaunchTimeline.Camera {
  /// Notes the first frame of a stream of the camera.
  mutating func noteFirstFrame(captured: MonotonicInstant, streamID: UInt64) {
    guard firstFrame == nil, streamID >= earliestStream else { return }
    firstFrame = .init(captured: captured, streamID: streamID)
  }
}

/// The launch timeline of a session, which the session and the daemon's registry write. Thread-safe.
final class LaunchRecorder: Sendable {
  private let timeline: Locked<LaunchTimeline>

  init(_ timeline: LaunchTimeline) { self.timeline = Locked(timeline) }

  var current: LaunchTimeline { timeline.withLock { $0 } }

  func record(_ change: (inout LaunchTimeline) -> Void) { timeline.withLock { change(&$0) } }
}
