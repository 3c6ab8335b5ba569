internal import CaptureCore
internal import Imaging
internal import Synchronization
internal import SystemClocks
internal import VideoCoding

/// Encodes the camera's frames on a thread of its own, and gives the samples to a target. It knows nothing of files.
/// Thread-safe.
final class SampleMaker: SampleMaking {
  /// The most frames of the camera that wait for the encoder.
  static let waitingFrames = 8
  /// How many frames the camera's pool must still be able to lend, as for previews.
  static let framesLeftToCamera = 4
  /// The most flushes that wait for the encoder.
  static let waitingFlushes = 16

  private enum Work: Sendable {
    /// The loan counts the frame's memory as lent.
    case encode(CapturedFrame, at: UInt64, FrameLoan, forcesKeyFrame: Bool)
    /// Makes the samples of all frames so far, and then calls the function.
    case flush(@Sendable () -> Void)
    case finish
  }

  /// The samples, unless they go to another target.
  private let samples = SampleQueue()
  private let target: any SampleTarget
  /// How long a frame is shown when none follows, in nanoseconds.
  let period: UInt64
  private let settings: RecordingSettings
  private let frameRate: Rational
  private let frames: Mailbox<Work>
  private let waiting = Atomic<Int>(0)
  /// Memory of coded samples: those that wait for the disk, and those that the encoder is about to return.
  private let pool: FramePool

  /// - Parameters:
  ///   - frameRate: the nominal rate of the camera's frames.
  ///   - shared: the target of the samples and their memory; nil for ``samples``. Only a shared maker is flushed.
  init(
    _ settings: RecordingSettings, segmentDuration: UInt64? = nil, frameRate: Rational,
    shared: (target: any SampleTarget, pool: FramePool)? = nil
  ) {
    target = shared?.target ?? samples
    pool = shared?.pool ?? FramePool(budget: 2 * SampleBacklog.waitingBytes)
    frames = Mailbox(depth: Self.waitingFrames + 1 + (shared == nil ? 0 : Self.waitingFlushes))
    self.settings = settings
    self.frameRate = frameRate
    period = frameRate.framePeriod
  }

  /// Starts the thread, which ends after ``finish()``.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func start(for owner: some SampleOwner) throws(CaptureError) {
    // The encoder gets the processor time that previews leave.
    try WorkerThread.start(name: "movie-encode", niceness: 5) { [self] in encodeFrames(for: owner) }
  }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { waiting.load(ordering: .relaxed) >= Self.waitingFrames || target.isFull }

  var isBacklogged: Bool { target.isFull }

  /// Why a frame has to be left out now. Nil when there is room for it.
  func refusal(of frame: Frame) -> DropCounts? {
    if isBusy { return DropCounts(late: 1) }
    return frame.buffer.leavesRoom(for: Self.framesLeftToCamera) ? nil : DropCounts(outOfBuffers: 1)
  }

  /// Takes a frame that is not refused. The caller makes sure that none comes after ``finish()``.
  ///
  /// - Parameter forcesKeyFrame: whether the frame becomes a key frame in any case.
  func put(_ frame: CapturedFrame, at time: UInt64, _ loan: FrameLoan, forcesKeyFrame: Bool) {
    waiting.add(1, ordering: .relaxed)
    frames.put(.encode(frame, at: time, loan, forcesKeyFrame: forcesKeyFrame))
  }

  /// The pieces of recordings that share the maker go to their own queues.
  func put(_ piece: AudioPiece) { samples.put(piece) }

  /// Makes the samples of the frames so far without waiting for further frames, and calls `body` on the thread that
  /// encodes. The next frame begins with another encoder of the same kind. Once the encoder has failed, `body` is not
  /// called.
  func flush(_ body: @escaping @Sendable () -> Void) { frames.put(.flush(body)) }

  /// Ends the samples with that of the last frame.
  func finish() { frames.put(.finish) }

  func take(for _: some SampleOwner) -> SampleQueue.Element? { samples.take() }

  func close() { samples.close() }

  // MARK: On the thread

  private func encodeFrames(for owner: some SampleOwner) {
    var coder: FrameCoder?
    var failure: CaptureError?
    func next() -> Work? {
      owner.madeRoom()
      return frames.take()
    }
    loop: while failure == nil, let work = next() {
      switch work {
      case .encode(let captured, let time, let loan, let forcesKeyFrame):
        waiting.subtract(1, ordering: .relaxed)
        let lost = coder?.lostSamples ?? 0
        do throws(CaptureError) {
          try encode(captured.frame.decodedPicture(), at: time, loan, forcesKeyFrame, &coder)
        } catch {
          switch error.reason {
          case .frameDamaged: owner.lose(DropCounts(damaged: 1), at: time)
          case .outOfBuffers: owner.lose(DropCounts(outOfBuffers: 1), at: time)
          default: failure = error
          }
        }
        noteLost(since: lost, coder, at: time, for: owner)
      case .flush(let body):
        failure = finish(&coder, for: owner)
        if failure == nil { body() }
      case .finish: break loop
      }
    }
    frames.close()
    failure = failure ?? finish(&coder, for: owner)
    if let failure { owner.encodingFailed(failure) }
    target.end(failure)
  }

  /// Makes the samples that the encoder still holds, and ends the encoder. Returns its error.
  private func finish(_ coder: inout FrameCoder?, for owner: some SampleOwner) -> CaptureError? {
    guard let old = coder else { return nil }
    coder = nil
    let lost = old.lostSamples
    var failure: CaptureError?
    do throws(CaptureError) { try put(try old.finish(), of: old, nil) } catch { failure = error }
    noteLost(since: lost, old, at: .max, for: owner)
    return failure
  }

  private func noteLost(since lost: Int, _ coder: FrameCoder?, at time: UInt64, for owner: some SampleOwner) {
    let count = (coder?.lostSamples ?? 0) - lost
    if count > 0 { owner.lose(DropCounts(outOfBuffers: UInt64(count)), at: time) }
  }

  private func encode(
    _ picture: Picture, at time: UInt64, _ loan: FrameLoan, _ forcesKeyFrame: Bool, _ coder: inout FrameCoder?
  ) throws(CaptureError) {
    if coder == nil { coder = try FrameCoder(picture, settings, frameRate: frameRate, period: period, pool: pool) }
    let coder = coder!
    let ready = try coder.encode(picture, at: time, forcesKeyFrame: forcesKeyFrame)
    try put(ready, of: coder, coder.keepsFrames ? loan : nil)
    withExtendedLifetime(loan) {}
  }

  private func put(_ ready: [MovieSample], of coder: FrameCoder, _ loan: FrameLoan?) throws(CaptureError) {
    for sample in ready { target.put(sample, of: try coder.track(), loan) }
  }
}

/// Where a ``SampleMaker`` puts its samples, on the thread that encodes.
protocol SampleTarget: AnyObject, Sendable {
  /// Whether the target has no room for the samples of further frames at present.
  var isFull: Bool { get }

  /// Takes a sample, with a loan when the sample is the camera's own memory.
  func put(_ sample: MovieSample, of track: MovieTrack, _ loan: FrameLoan?)

  /// Learns that no sample follows. The error is that of the encoder.
  func end(_ error: CaptureError?)
}
