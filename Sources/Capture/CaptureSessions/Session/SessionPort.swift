internal import CaptureCore
internal import Logging

/// The side of a session that every thread may use without waiting for the session's actor.
struct SessionPort: Sendable {
  let sessionID: String
  /// What happened, for WatchSession.
  let events = EventLog<SessionEvent>()
  /// Since when no client has used the session.
  let idle = IdleTracker()
  /// Names the session in every line.
  let logger: Logger
  /// When each step of the newest launch happened.
  let timeline: LaunchRecorder
  let signals: AsyncStream<SessionSignal>.Continuation

  init(
    sessionID: String, logger: Logger, timeline: LaunchTimeline, signals: AsyncStream<SessionSignal>.Continuation
  ) {
    self.timeline = LaunchRecorder(timeline)
    self.sessionID = sessionID
    self.signals = signals
    var logger = logger
    logger[metadataKey: "session"] = "\(sessionID)"
    self.logger = logger
  }

  /// Returns when the session has handled all that other threads have told it so far.
  func drain() async {
    await withCheckedContinuation { continuation in
      if case .terminated = signals.yield(.mark(continuation)) { continuation.resume() }
    }
  }

  /// Tells an event to the watchers and to the log.
  func tell(_ event: SessionEvent) {
    events.append(event)
    logger.info("session event", metadata: ["event": "\(event)"])
  }
}
