extension CaptureError {
  /// The `deviceNotResponding` error for a composition whose first layer brings no frames.
  ///
  /// - Parameters:
  ///   - composition: the id of the composition's input.
  ///   - input: the id of the first layer's input.
  ///   - nanoseconds: how long no whole picture has come.
  ///   - damaged: how many damaged pictures came in that time.
  public static func stalled(
    composition: String, input: String, silence nanoseconds: UInt64, damaged: UInt64 = 0
  ) -> CaptureError {
    let seconds = Seconds.tenths(nanoseconds)
    var metadata = ["device": composition, "input": input, "silent_seconds": seconds]
    if damaged > 0 { metadata["damaged_pictures"] = "\(damaged)" }
    let brought = damaged > 0 ? "nothing but damaged pictures (\(damaged))" : "no picture"
    return CaptureError(
      .deviceNotResponding,
      "\(input), the first layer of the composition \(composition), brought \(brought) for \(seconds) s; the "
        + "composition goes on when an intact one comes. Until then, let another input be the first layer.",
      metadata: metadata)
  }
}
