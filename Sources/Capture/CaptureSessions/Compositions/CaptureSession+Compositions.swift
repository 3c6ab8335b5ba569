internal import CaptureCore

extension CaptureSession {
  /// Stops the compositions of a session that has stopped because an error stopped its cameras.
  func stopCompositions() async {
    guard status.state == .stopped else { return }
    for pipeline in cameras where committed.isComposition(at: pipeline.index) {
      await apply(.stopRequested, to: pipeline)
    }
  }
}
