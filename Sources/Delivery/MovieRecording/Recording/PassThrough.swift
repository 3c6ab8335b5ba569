internal import CaptureCore
internal import Imaging
internal import Locking
internal import VideoCoding

/// Passes pictures that are coded already, such as the camera's own JPEG or H.264, through to the thread that writes,
/// which makes the samples itself. A thread in between would have to be woken for each picture, which costs more
/// processor time than making the sample. Thread-safe.
final class PassThrough: SampleMaking {
  private enum Work: Sendable {
    /// The loan counts the frame's memory as lent.
    case frame(CapturedFrame, at: UInt64, FrameLoan)
    case audio(AudioPiece)
    case finish
  }

  let period: UInt64
  private let settings: RecordingSettings
  /// Bounded by the backlog, so that it is never full.
  private let frames = Mailbox<Work>(depth: 1 << 16)
  private let backlog = Locked(SampleBacklog())
  private let coder = Locked<FrameCoder?>(nil)
  /// The place of the newest picture of a camera that sends coded video. Nil before the first one.
  private let newest = Locked<FrameLink?>(nil)

  /// - Parameter frameRate: the nominal rate of the camera's frames.
  init(_ settings: RecordingSettings, frameRate: Rational) {
    self.settings = settings
    period = frameRate.framePeriod
  }

  /// Does nothing: the owner's thread that writes does all the work.
  func start(for _: some SampleOwner) {}

  var isBusy: Bool { backlog.withLock(\.isFull) }

  var isBacklogged: Bool { isBusy }

  func refusal(of frame: Frame) -> DropCounts? {
    if let coded = frame.coded, !newest.withLock({ coded.link.continues($0) }) {
      coded.stream.requestKeyFrame()
      return DropCounts(late: 1)
    }
    if isBusy { return DropCounts(late: 1) }
    return frame.buffer.leavesRoom(for: SampleMaker.framesLeftToCamera) ? nil : DropCounts(outOfBuffers: 1)
  }

  func put(_ frame: CapturedFrame, at time: UInt64, _ loan: FrameLoan, forcesKeyFrame _: Bool) {
    backlog.withLock { $0.add(frame.frame.buffer.count) }
    if let coded = frame.frame.coded { newest.withLock { $0 = coded.link } }
    frames.put(.frame(frame, at: time, loan))
  }

  func put(_ piece: AudioPiece) {
    if backlog.withLock({ $0.admits(piece) }) { frames.put(.audio(piece)) }
  }

  func finish() { frames.put(.finish) }

  func close() { frames.close() }

  // MARK: On the thread that writes

  func take(for owner: some SampleOwner) -> SampleQueue.Element? {
    switch frames.take() {
    case nil: return nil
    case .finish: return .end(nil)
    case .audio(let piece):
      backlog.withLock { $0.take(piece.byteCount) }
      return .audio(piece)
    case .frame(let captured, let time, let loan):
      backlog.withLock { $0.take(captured.frame.buffer.count) }
      do throws(CaptureError) { return try sample(of: captured.frame, at: time, loan) } catch {
        owner.encodingFailed(error)
        return .end(error)
      }
    }
  }

  private func sample(
    of frame: Frame, at time: UInt64, _ loan: FrameLoan
  ) throws(CaptureError) -> SampleQueue.Element {
    let picture = frame.picture
    return try coder.withLock { coder throws(CaptureError) in
      if coder == nil { coder = try FrameCoder(passing: picture, settings, period: period) }
      let coder = coder!
      let track = try coder.track()
      // A file tells once how its pictures are to be decoded.
      if frame.coded?.link.isKeyFrame == true, !track.describes(picture) {
        throw CaptureError(
          .formatNotSupported, "The camera's video has other parameter sets from now on, so the movie ends.")
      }
      return .sample(try coder.encode(picture, at: time)[0], track, loan)
    }
  }
}
