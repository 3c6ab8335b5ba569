internal import Locking

/// The launch timeline of a session, which the session and the daemon's registry write. Thread-safe.
final class LaunchRecorder: Sendable {
  private let timeline: Locked<LaunchTimeline>

  init(_ timeline: LaunchTimeline) { self.timeline = Locked(timeline) }

  var current: LaunchTimeline { timeline.withLock { $0 } }

  func record(_ change: (inout LaunchTimeline) -> Void) { timeline.withLock { change(&$0) } }
}
