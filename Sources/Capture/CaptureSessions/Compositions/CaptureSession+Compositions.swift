internal import CaptureCore

extension CaptureSession {
  /// Gives the compositions the layers and the rates of the committed configuration.
  func followCompositions() {
    outputs.compositions.follow(committed)
    for pipeline in pipelines where committed.isComposition(at: pipeline.index) {
      if let rate = committed.format(at: pipeline.index)?.frameRate { pipeline.takeRate(ofComposition: rate) }
      pipeline.setMemory(by: committed)
    }
  }

  /// Stops the compositions of a session that has stopped because an error stopped its cameras.
  func stopCompositions() async {
    guard status.state == .stopped else { return }
    for pipeline in cameras where committed.isComposition(at: pipeline.index) {
      await apply(.stopRequested, to: pipeline)
    }
  }
}
