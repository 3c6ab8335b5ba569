internal import Synchronization

/// The launch timeline of a session, which the session and the daemon's registry write. Thread-safe.
final class LaunchRecorder: Sendable {
  private let timeline: Mutex<LaunchTimeline>

  init(_ timeline: LaunchTimeline) { self.timeline = Mutex(timeline) }

  var current: LaunchTimeline { timeline.withLock { $0 } }

  func record(_ change: (inout LaunchTimeline) -> Void) { timeline.withLock { change(&$0) } }
}
