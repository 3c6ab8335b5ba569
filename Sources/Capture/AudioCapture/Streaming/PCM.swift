internal import SystemClocks

/// The stream of samples of one microphone, as the capture thread uses it. The thread makes all calls but ``wake()``.
protocol PCM: AnyObject, Sendable {
  /// Waits until there are samples to read.
  ///
  /// - Returns: false when `deadline` passed or ``wake()`` was called before.
  func wait(until deadline: MonotonicInstant) throws(PCMError) -> Bool
  /// Takes the samples that there are; nil when there are none.
  func read() throws(PCMError) -> PCMReading?
  /// Starts the stream again after ``PCMError/loss``. Positions then count from 0. Fails with `ESTRPIPE` while the card
  /// is still suspended.
  func restart() throws(PCMError)
  /// Waits until `deadline` whatever the card does, or until ``wake()`` was called.
  func rest(until deadline: MonotonicInstant)
  /// Ends the stream and frees the microphone.
  func close()
  /// Ends a wait. Any thread may call this method.
  func wake()
}

/// What one read from a sound card gave.
struct PCMReading: Hashable, Sendable {
  /// The samples, from -1 to 1, interleaved.
  var samples: [Float]
  /// An instant, and how many samples of each channel the card had captured by then, since the start or the restart.
  var time: MonotonicInstant
  var position: UInt64
}
