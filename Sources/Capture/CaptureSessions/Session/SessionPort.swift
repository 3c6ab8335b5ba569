internal import CaptureCore
internal import Logging
internal import SystemClocks

/// The parts of a session that every thread may use without waiting for the session's actor.
struct SessionPort: Sendable {
  let sessionID: String
  /// The events of the session. WatchSession sends them to its watchers.
  let events = EventLog<SessionEvent>()
  /// How loud the microphones are. WatchAudioLevels sends it to its watchers.
  let audioLevels = AudioLevels()
  /// Tracks whether any client uses the session.
  let idle = IdleTracker()
  /// Starts and stops the session for its viewers, if it starts on demand.
  let viewers: SessionViewers
  /// A logger that names the session in every line.
  let logger: Logger
  /// Records when each step of the newest launch happened.
  let timeline: LaunchRecorder
  let signals: AsyncStream<SessionSignal>.Continuation

  init(
    sessionID: String, logger: Logger, timeline: LaunchTimeline, signals: AsyncStream<SessionSignal>.Continuation,
    viewers: SessionViewers
  ) {
    self.viewers = viewers
    self.timeline = LaunchRecorder(timeline)
    self.sessionID = sessionID
    self.signals = signals
    var logger = logger
    logger[metadataKey: "session.id"] = "\(sessionID)"
    self.logger = logger
  }

  /// Returns when the session has handled every signal that other threads have sent so far.
  func drain() async {
    await withCheckedContinuation { continuation in
      if case .terminated = signals.yield(.mark(continuation)) { continuation.resume() }
    }
  }

  /// Sends an event to the watchers and to the log.
  func tell(_ event: SessionEvent) {
    events.append(event)
    logger.info("The session changed.", metadata: ["session.event": "\(event)"])
  }
}

/// A report of a capture thread or a reader's thread to the session. `camera` is the index of the camera's pipeline.
enum SessionSignal: Sendable {
  /// The first frame of a stream was captured. `input` is the id that the frame has of its input, and `captured` the
  /// time of the capture. `gap` is as in ``SessionEvent/streamChanged(streamID:gapNanoseconds:input:)``, and nil when
  /// no stream preceded this one.
  case firstFrame(camera: Int, input: String, captured: MonotonicInstant, streamID: UInt64, gap: UInt64?)
  /// The watch over the exposure ended with the first settled frame of the launch, or with nil when none was found.
  case settled(camera: Int, Frame?)
  /// An output handed its first frame since the start or the commit to a reader, at this time.
  case firstSend(output: String, at: MonotonicInstant)
  /// A camera does something otherwise than its driver says.
  case sourceIsOdd(camera: Int, device: String, SourceOddity)
  case sourceStalled(camera: Int, generation: UInt64, CaptureError)
  case sourceEnded(camera: Int, generation: UInt64, CaptureError)
  /// A microphone runs, cannot run, or lost sound.
  case microphone(input: String, generation: UInt64, MicrophoneRun.Report)
  /// A request to resume the continuation when every earlier signal has been handled.
  case mark(CheckedContinuation<Void, Never>)
}
