internal import CaptureCore

extension SessionStatus {
  /// The status of a session whose cameras are like this: what moves comes first, then what runs, then what waits.
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
