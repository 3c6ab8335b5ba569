internal import CaptureCore

extension CaptureSession {
  /// Gives the derived inputs the layers and the rates of the committed configuration.
  func followDerivedInputs() {
    outputs.derivedInputs.follow(committed)
    for pipeline in pipelines where committed.isDerived(at: pipeline.index) {
      if let rate = committed.format(at: pipeline.index)?.frameRate { pipeline.takeRate(ofDerivedInput: rate) }
      pipeline.setMemory(by: committed)
    }
  }

  /// Stops the derived inputs of a session that has stopped because an error stopped its cameras.
  func stopDerivedInputs() async {
    guard status.state == .stopped else { return }
    for pipeline in cameras where committed.isDerived(at: pipeline.index) {
      await apply(.stopRequested, to: pipeline)
    }
  }
}
