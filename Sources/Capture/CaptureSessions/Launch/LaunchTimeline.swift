/// When each step of a launch happened, CLOCK_MONOTONIC nanoseconds; nil for what did not happen.
public struct LaunchTimeline: Hashable, Sendable {
  public var processStart: UInt64?
  public var serverReady: UInt64?
  public var sessionCreated: UInt64?
  public var configurationCommitted: UInt64?
  public var startRequested: UInt64?
  public var startReturned: UInt64?
  /// Of the launch's frames.
  public var streamID: UInt64?
  /// The driver's time stamp of the first frame.
  public var firstFrameCaptured: UInt64?
  /// The first frame was handed to a preview's reader.
  public var firstFrameSent: UInt64?
  /// The driver's time stamp of the first frame whose exposure is stable.
  public var firstSettledFrameCaptured: UInt64?
  public var firstSettledSequence: UInt64?
  public var deferredStartBegin: UInt64?
  public var deferredStartEnd: UInt64?
  /// Each output's preparation, by output id.
  public var outputs: [String: Preparation] = [:]

  /// When an output was prepared; nil for what did not happen.
  public struct Preparation: Hashable, Sendable {
    public var begin: UInt64?
    public var end: UInt64?
  }

  public init() {}

  /// A new start: what belongs to the former one goes. Outputs that are prepared stay so.
  mutating func restart(at instant: UInt64) {
    var next = LaunchTimeline()
    next.processStart = processStart
    next.serverReady = serverReady
    next.sessionCreated = sessionCreated
    next.configurationCommitted = configurationCommitted
    next.outputs = outputs
    next.startRequested = instant
    self = next
  }

  /// Forgets outputs that are no more.
  mutating func keepOutputs(_ ids: Set<String>) { outputs = outputs.filter { ids.contains($0.key) } }
}
