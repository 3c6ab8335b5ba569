internal import CaptureCore
internal import VideoCoding

/// Takes the frames of a recorder, and gives their samples to the thread that writes the file.
protocol RecordingEncoder: Sendable {
  /// How long a frame is shown when none follows, in nanoseconds.
  var period: UInt64 { get }
  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { get }

  /// Whether so much waits for the disk that there is no room for sound now.
  var isBacklogged: Bool { get }

  /// Makes the encoder take frames.
  ///
  /// - Throws: `processingFailed` when the system gives no thread.
  func start(for owner: some EncoderOwner) throws(CaptureError)

  /// Why a frame has to be left out now. Nil when there is room for it.
  func refusal(of frame: Frame) -> DropCounts?

  /// Takes a frame that is not refused, on the capture thread.
  ///
  /// - Parameters:
  ///   - time: the frame's time in the movie, in nanoseconds.
  ///   - loan: counts the frame's memory as lent.
  ///   - forcesKeyFrame: whether the frame becomes a key frame in any case.
  func put(_ frame: CapturedFrame, at time: UInt64, _ loan: FrameLoan, forcesKeyFrame: Bool)

  /// Takes a piece of sound, for the thread that writes. That of a microphone is left out while too much waits for
  /// the disk.
  func put(_ piece: AudioPiece)

  /// Ends the samples with that of the last frame. No frame and no sound follows.
  func finish()

  /// Waits for the next sample, in the order of their times in the movie, on the thread that writes.
  ///
  /// - Parameter owner: the owner that ``start(for:)`` was given.
  /// - Returns: the sample, with a loan when it is the camera's own memory. Nil once the samples are closed.
  func take(for owner: some EncoderOwner) -> SampleQueue.Element?

  /// Lets the thread that writes take no further sample.
  func close()
}

/// The owner of an encoder, which learns of its frames on the thread that makes the samples.
protocol EncoderOwner: AnyObject, Sendable {
  /// Frames were lost near this time of the movie, in nanoseconds.
  func lose(_ dropped: DropCounts, at time: UInt64)
  /// The encoder failed, so no frame is taken any more.
  func encodingFailed(_ error: CaptureError)
  /// There may be room for more frames than before. Called after each frame, when its memory is free.
  func madeRoom()
}

extension EncoderOwner {
  /// Does nothing, as is right for an owner that leaves frames out for which there is no room.
  func madeRoom() {}
}

extension RecordingSettings {
  /// The encoder of one recording or one run of segments.
  ///
  /// - Parameter frameRate: the nominal rate of the camera's frames.
  func encoder(frameRate: Rational) -> any RecordingEncoder {
    takesCodedPictures || codec == .motionJPEG
      ? PassThrough(self, frameRate: frameRate) : SampleMaker(self, frameRate: frameRate)
  }
}

extension Rational {
  /// The time between two frames of this nominal rate, in nanoseconds. Some drivers tell a rate of 0, which counts as a
  /// usual one.
  var framePeriod: UInt64 { UInt64(1e9 / (value > 0.01 ? value : 30)) }
}
