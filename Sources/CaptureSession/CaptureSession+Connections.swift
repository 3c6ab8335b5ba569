public import CaptureCore

/// The way of frames to outputs.
extension CaptureSession {
  /// Tells outputs how they are connected, and sends them frames, or not.
  ///
  /// In this order, so that every frame of `revision` is given as that says, and none to an output that says no.
  func connect(_ hosted: [String: HostedOutput], by resolved: ResolvedConfiguration, revision: UInt64) {
    var (connected, previews): ([any CaptureOutput], [any CaptureOutput]) = ([], [])
    for configuration in resolved.outputs {
      guard let output = hosted[configuration.id]?.output else { continue }
      let connection = configuration.connection ?? Connection(isEnabled: false)
      output.connectionDidChange(connection)
      output.limitsDidChange(adaptation.pictures)
      output.photoFeaturesDidChange(configuration.photo)
      guard connection.isEnabled else { continue }
      if configuration.kind.isPreview { previews.append(output) } else { connected.append(output) }
    }
    pipeline.configure(
      outputs: connected, previews: previews, input: resolved.input?.id ?? "",
      camera: resolved.input?.deviceName ?? "", revision: revision)
  }

  /// The outputs, in the order of the resolved configuration.
  public func configuredOutputs() -> [(configuration: ResolvedConfiguration.Output, output: any CaptureOutput)] {
    resolved.outputs.compactMap { output in outputs[output.id].map { (output, $0.output) } }
  }

  /// How the camera's frames lie in memory; nil without a camera.
  public var frameLayout: FrameLayout? { format?.layout }
}
