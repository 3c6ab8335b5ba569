internal import CaptureCore
internal import Logging

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
    logger[metadataKey: "session"] = "\(sessionID)"
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
    logger.info("session event", metadata: ["event": "\(event)"])
  }
}
