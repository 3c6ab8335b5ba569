internal import CaptureCore

extension SessionStatus {
  /// Derives the status of a session from its cameras. A camera that is starting or stopping decides, then one that
  /// runs, then one that is interrupted. Without any of these the session is stopped. Allocates nothing, because a
  /// launch asks for the status again and again.
  init(of pipelines: [CameraPipeline]) {
    self.init(.stopped)
    for pipeline in pipelines where pipeline.status.state.precedence > state.precedence { self = pipeline.status }
  }
}

extension SessionState {
  fileprivate var precedence: Int {
    switch self {
    case .stopped: 0
    case .interrupted: 1
    case .running: 2
    case .stopping: 3
    case .starting: 4
    }
  }
}
