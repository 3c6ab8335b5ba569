internal import CaptureCore
internal import VideoCoding

/// Where the samples of a movie come from: what waits for the thread that writes the file.
protocol SampleSource: Sendable {
  /// How long a frame is shown when none follows, in nanoseconds.
  var period: UInt64 { get }
  /// Whether there is no room for another frame now. There may be before the next one comes.
  var isBusy: Bool { get }

  /// Whether so much waits for the disk that there is no room for sound now.
  var isBacklogged: Bool { get }

  /// Takes a piece of sound, for the thread that writes the recording's file. The sound of a microphone is left out
  /// while too much waits for the disk.
  func put(_ piece: AudioPiece)

  /// Makes the last frame's sample the last one. No frame and no sound follows.
  func finish()

  /// Waits for the next sample, in the order of their times in the movie, on the thread that writes.
  ///
  /// - Returns: the sample, with a loan when it is the camera's own memory. Nil once the samples are closed.
  func take(for owner: some SampleOwner) -> SampleQueue.Element?

  /// Lets the thread that writes take no further sample.
  func close()
}

/// Makes the samples of the frames that one owner gives it, whether or not they have to be encoded for that.
protocol SampleMaking: SampleSource {
  /// Makes the maker take frames.
  ///
  /// - Parameter owner: the owner that ``take(for:)`` is given, too.
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func start(for owner: some SampleOwner) throws(CaptureError)

  /// Why a frame has to be left out now. Nil when there is room for it.
  func refusal(of frame: Frame) -> DropCounts?

  /// Takes a frame that is not refused, on the capture thread.
  ///
  /// - Parameters:
  ///   - time: the frame's time in the movie, in nanoseconds.
  ///   - loan: counts the frame's memory as lent.
  ///   - forcesKeyFrame: whether the frame becomes a key frame in any case.
  func put(_ frame: CapturedFrame, at time: UInt64, _ loan: FrameLoan, forcesKeyFrame: Bool)
}

/// Whose samples are made. The owner learns what becomes of its frames, on the thread that makes the samples.
protocol SampleOwner: AnyObject, Sendable {
  /// Frames were lost near this time of the movie, in nanoseconds.
  func lose(_ dropped: DropCounts, at time: UInt64)
  /// The encoder failed, so no frame is taken any more.
  func encodingFailed(_ error: CaptureError)
  /// There may be room for more frames than before. Called after each frame, when its memory is free, and after each
  /// sample, on the thread that writes.
  func madeRoom()
}

extension SampleOwner {
  /// Does nothing, as is right for an owner that leaves frames out for which there is no room.
  func madeRoom() {}
}

extension RecordingSettings {
  /// What makes the samples of one recording or one run of segments.
  ///
  /// - Parameter frameRate: the nominal rate of the camera's frames.
  func sampleMaker(frameRate: Rational) -> any SampleMaking {
    pictures.passesThrough
      ? PassThrough(self, frameRate: frameRate) : SampleMaker(self, frameRate: frameRate)
  }
}

extension Rational {
  /// The time between two frames of this nominal rate, in nanoseconds. Some drivers tell a rate of 0, which counts as a
  /// usual one.
  var framePeriod: UInt64 { UInt64(1e9 / (value > 0.01 ? value : 30)) }
}
