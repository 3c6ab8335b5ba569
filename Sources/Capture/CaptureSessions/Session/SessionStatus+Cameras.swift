internal import CaptureCore

extension SessionStatus {
  /// Derives the status of a session from its cameras. A camera that runs decides, then one that is starting or
  /// stopping, then one that is interrupted. A session all of whose cameras are parked runs, and without any of these
  /// it is stopped. Allocates nothing, because a launch asks for the status again and again.
  init(of pipelines: [CameraPipeline]) {
    self.init(.stopped)
    var highest = 0
    for pipeline in pipelines {
      let precedence = pipeline.isParked ? 1 : pipeline.status.state.precedence
      guard precedence > highest else { continue }
      highest = precedence
      self = pipeline.shownStatus
    }
  }
}

extension SessionState {
  fileprivate var precedence: Int {
    switch self {
    case .stopped: 0
    case .interrupted: 2
    case .stopping: 3
    case .starting: 4
    case .running: 5
    }
  }
}
