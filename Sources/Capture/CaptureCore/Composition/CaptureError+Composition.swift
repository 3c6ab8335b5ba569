extension CaptureError {
  /// The `deviceNotResponding` error for a composition whose first layer brings no frames.
  ///
  /// - Parameters:
  ///   - composition: the id of the composition's input.
  ///   - input: the id of the first layer's input.
  ///   - nanoseconds: how long no picture has come.
  public static func stalled(composition: String, input: String, silence nanoseconds: UInt64) -> CaptureError {
    let seconds = Seconds.tenths(nanoseconds)
    return CaptureError(
      .deviceNotResponding,
      "\(input), the first layer of the composition \(composition), brought no picture for \(seconds) s; the "
        + "composition goes on when one comes. Until then, let another input be the first layer.",
      metadata: ["device": composition, "input": input, "silent_seconds": seconds])
  }
}
