internal import CaptureCore
internal import Imaging
internal import Synchronization
internal import SystemClocks
internal import VideoCoding

/// Encodes the camera's frames on a thread of its own, and puts the samples into a queue. It knows nothing of files.
/// Thread-safe.
final class SampleMaker: Sendable {
  /// The most frames of the camera that wait for the encoder.
  static let waitingFrames = 8
  /// How many frames the camera's pool must still be able to lend, as for previews.
  static let framesLeftToCamera = 4

  /// What the owner of a sample maker learns, on the thread that encodes.
  protocol Owner: AnyObject, Sendable {
    /// Frames were lost near this time of the movie, in nanoseconds.
    func lose(_ dropped: DropCounts, at time: UInt64)
    /// The frame at this time of the movie begins a segment. None of its samples is in the queue yet.
    func segmentBegins(at time: UInt64)
    /// The encoder failed, so no frame is taken any more.
    func encodingFailed(_ error: CaptureError)
  }

  private enum Work: Sendable {
    /// The loan counts the frame's memory as lent.
    case encode(CapturedFrame, at: UInt64, FrameLoan)
    case finish
  }

  /// Where the samples go.
  let samples = SampleQueue()
  /// How long a frame is shown when none follows, in nanoseconds.
  let period: UInt64
  private let settings: RecordingSettings
  private let segmentDuration: UInt64?
  private let frameRate: Rational
  private let frames = Mailbox<Work>(depth: waitingFrames + 1)
  private let waiting = Atomic<Int>(0)
  /// Memory of coded samples: those that wait for the disk, and those that the encoder is about to return.
  private let pool = FramePool(budget: 2 * SampleQueue.waitingBytes)

  /// - Parameters:
  ///   - segmentDuration: the duration of a segment, in nanoseconds. Nil without segments.
  ///   - frameRate: the nominal rate of the camera's frames.
  init(_ settings: RecordingSettings, segmentDuration: UInt64? = nil, frameRate: Rational) {
    self.settings = settings
    self.segmentDuration = segmentDuration
    self.frameRate = frameRate
    // Some drivers tell a rate of 0.
    period = UInt64(1e9 / max(frameRate.value, 0.01))
  }

  /// Starts the thread, which ends after ``finish()``.
  ///
  /// - Throws: `processingFailed` when the system gives no thread.
  func start(for owner: some Owner) throws(CaptureError) {
    // The encoder uses what the previews leave.
    try WorkerThread.start(name: "movie-encode", niceness: 5) { [self] in encodeFrames(for: owner) }
  }

  /// Whether the next frame would have to be left out, unless the encoder is done with one until it comes.
  var isBusy: Bool { waiting.load(ordering: .relaxed) >= Self.waitingFrames || samples.isFull }

  /// Why a frame has to be left out now. Nil when there is room for it.
  func refusal(of frame: Frame) -> DropCounts? {
    if isBusy { return DropCounts(late: 1) }
    return frame.buffer.leavesRoom(for: Self.framesLeftToCamera) ? nil : DropCounts(outOfBuffers: 1)
  }

  /// Takes a frame that is not refused. The caller makes sure that none comes after ``finish()``.
  func put(_ frame: CapturedFrame, at time: UInt64, _ loan: FrameLoan) {
    waiting.add(1, ordering: .relaxed)
    frames.put(.encode(frame, at: time, loan))
  }

  /// Ends the samples with that of the last frame.
  func finish() { frames.put(.finish) }

  // MARK: On the thread

  private func encodeFrames(for owner: some Owner) {
    var coder: FrameCoder?
    var failure: CaptureError?
    while failure == nil, case .encode(let captured, let time, let loan)? = frames.take() {
      waiting.subtract(1, ordering: .relaxed)
      let lost = coder?.lostSamples ?? 0
      do throws(CaptureError) { try encode(captured.frame.picture, at: time, loan, &coder, for: owner) } catch {
        switch error.reason {
        case .frameDamaged: owner.lose(DropCounts(damaged: 1), at: time)
        case .outOfBuffers: owner.lose(DropCounts(outOfBuffers: 1), at: time)
        default: failure = error
        }
      }
      noteLost(since: lost, coder, at: time, for: owner)
    }
    frames.close()
    if failure == nil, let coder {
      let lost = coder.lostSamples
      do throws(CaptureError) { try put(try coder.finish(), of: coder, nil) } catch { failure = error }
      noteLost(since: lost, coder, at: .max, for: owner)
    }
    if let failure { owner.encodingFailed(failure) }
    samples.end(failure)
  }

  private func noteLost(since lost: Int, _ coder: FrameCoder?, at time: UInt64, for owner: some Owner) {
    let count = (coder?.lostSamples ?? 0) - lost
    if count > 0 { owner.lose(DropCounts(outOfBuffers: UInt64(count)), at: time) }
  }

  private func encode(
    _ picture: Picture, at time: UInt64, _ loan: FrameLoan, _ coder: inout FrameCoder?, for owner: some Owner
  ) throws(CaptureError) {
    if coder == nil {
      coder = try FrameCoder(
        picture, settings, segmentDuration: segmentDuration, frameRate: frameRate, period: period, pool: pool)
    }
    let coder = coder!
    let (ready, beginsSegment) = try coder.encode(picture, at: time)
    // The owner learns of the segment before the thread that writes can get its first sample.
    if beginsSegment { owner.segmentBegins(at: time) }
    try put(ready, of: coder, coder.keepsFrames ? loan : nil)
    withExtendedLifetime(loan) {}
  }

  private func put(_ ready: [MovieSample], of coder: FrameCoder, _ loan: FrameLoan?) throws(CaptureError) {
    for sample in ready {
      guard let track = coder.track else {
        throw CaptureError(.processingFailed, "The encoder does not tell how its pictures are to be decoded.")
      }
      samples.put(sample, of: track, loan)
    }
  }
}
