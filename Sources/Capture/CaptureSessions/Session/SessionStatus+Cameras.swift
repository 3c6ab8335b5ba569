internal import CaptureCore

extension SessionStatus {
  /// Derives the status of a session from its cameras. A camera that is starting or stopping decides, then one that
  /// runs, then one that is interrupted. Without any of these the session is stopped.
  init(of cameras: [SessionStatus]) {
    for state in [SessionState.starting, .stopping, .running, .interrupted] {
      if let camera = cameras.first(where: { $0.state == state }) {
        self = camera
        return
      }
    }
    self.init(.stopped)
  }
}
