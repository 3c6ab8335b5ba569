internal import CaptureCore

extension CaptureError {
  /// The error for a composition that cannot start, because the driver of its first layer's camera has not been asked
  /// for its format.
  static func noFirstLayer(of input: ResolvedConfiguration.Input) -> CaptureError {
    let first = input.layers.first?.input ?? ""
    return CaptureError(
      .deviceNotResponding,
      "The composition \(input.id) starts when the format of \(first), its first layer, is known.",
      metadata: ["device": input.id, "input": first])
  }
}
