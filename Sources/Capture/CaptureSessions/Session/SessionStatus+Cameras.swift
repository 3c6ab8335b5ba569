internal import CaptureCore

extension SessionStatus {
  /// Derives the status of a session from its cameras. A camera that runs decides, then one that is starting or
  /// stopping, then one that is interrupted. A session all of whose cameras are parked runs, and without any of these
  /// it is stopped. Allocates nothing, because a launch asks for the status again and again.
  ///
  /// - Parameter cameras: the status of each camera, and whether it is parked.
  init(of cameras: some Sequence<(status: SessionStatus, isParked: Bool)>) {
    self.init(.stopped)
    var (highest, isAnyStopped) = (0, false)
    for camera in cameras {
      if !camera.isParked, camera.status.state == .stopped { isAnyStopped = true }
      let precedence = camera.isParked ? 1 : camera.status.state.precedence
      guard precedence > highest else { continue }
      highest = precedence
      self = camera.isParked ? SessionStatus(.running) : camera.status
    }
    // A parked camera brings no frame, so it does not make up for one that an error stopped.
    if highest == 1, isAnyStopped { self.init(.stopped) }
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
