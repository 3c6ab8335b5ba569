internal import CaptureCore

extension SessionStatus {
  /// The status of a session whose cameras are like this: a camera that starts or stops decides, then one that runs, then
  /// one that waits. Allocates nothing, because a launch asks for it again and again.
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
