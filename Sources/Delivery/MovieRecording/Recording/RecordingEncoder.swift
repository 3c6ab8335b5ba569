internal import CaptureCore

/// Where a recorder gives its frames, and from where it takes their samples.
protocol RecordingEncoder: Sendable {
  /// The samples of the recording, in the order of their times in its movie.
  var samples: SampleQueue { get }
  /// How long a frame is shown when none follows, in nanoseconds.
  var period: UInt64 { get }
  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { get }

  /// Makes the encoder take frames.
  ///
  /// - Throws: `processingFailed` when the system gives no thread.
  func start(for owner: some SampleMaker.Owner) throws(CaptureError)

  /// Why a frame has to be left out now. Nil when there is room for it.
  func refusal(of frame: Frame) -> DropCounts?

  /// Takes a frame that is not refused, on the capture thread.
  ///
  /// - Parameters:
  ///   - time: the frame's time in the movie, in nanoseconds.
  ///   - loan: counts the frame's memory as lent.
  func put(_ frame: CapturedFrame, at time: UInt64, _ loan: FrameLoan)

  /// Ends the samples with that of the last frame. No frame follows.
  func finish()
}
