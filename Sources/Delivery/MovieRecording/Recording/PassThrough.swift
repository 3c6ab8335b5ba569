internal import CaptureCore
internal import Imaging
internal import Synchronization
internal import VideoCoding

/// Passes the camera's own JPEG through to the thread that writes, which makes the samples itself. A thread between the
/// two would cost more than it does: it would only be woken for each picture. Thread-safe.
final class PassThrough: RecordingEncoder {
  private enum Work: Sendable {
    /// The loan counts the frame's memory as lent.
    case frame(CapturedFrame, at: UInt64, FrameLoan)
    case finish
  }

  let period: UInt64
  private let settings: RecordingSettings
  private let segmentDuration: UInt64?
  /// Bounded by the backlog, so that it is never full.
  private let frames = Mailbox<Work>(depth: 1 << 16)
  private let backlog = Mutex(SampleBacklog())
  private let coder = Mutex<FrameCoder?>(nil)

  /// - Parameters:
  ///   - segmentDuration: the duration of a segment, in nanoseconds. Nil without segments.
  ///   - frameRate: the nominal rate of the camera's frames.
  init(_ settings: RecordingSettings, segmentDuration: UInt64? = nil, frameRate: Rational) {
    self.settings = settings
    self.segmentDuration = segmentDuration
    period = frameRate.framePeriod
  }

  /// Does nothing: the owner's thread that writes does all the work.
  func start(for _: some EncoderOwner) {}

  var isBusy: Bool { backlog.withLock(\.isFull) }

  func refusal(of frame: Frame) -> DropCounts? {
    if isBusy { return DropCounts(late: 1) }
    return frame.buffer.leavesRoom(for: SampleMaker.framesLeftToCamera) ? nil : DropCounts(outOfBuffers: 1)
  }

  func put(_ frame: CapturedFrame, at time: UInt64, _ loan: FrameLoan) {
    backlog.withLock { $0.add(frame.frame.buffer.count) }
    frames.put(.frame(frame, at: time, loan))
  }

  func finish() { frames.put(.finish) }

  func close() { frames.close() }

  // MARK: On the thread that writes

  func take(for owner: some EncoderOwner) -> SampleQueue.Element? {
    guard let work = frames.take() else { return nil }
    guard case .frame(let captured, let time, let loan) = work else { return .end(nil) }
    backlog.withLock { $0.take(captured.frame.buffer.count) }
    do throws(CaptureError) { return try sample(of: captured.frame.picture, at: time, loan, for: owner) } catch {
      owner.encodingFailed(error)
      return .end(error)
    }
  }

  private func sample(
    of picture: Picture, at time: UInt64, _ loan: FrameLoan, for owner: some EncoderOwner
  ) throws(CaptureError) -> SampleQueue.Element {
    try coder.withLock { coder throws(CaptureError) in
      if coder == nil {
        coder = try FrameCoder(passing: picture, settings, segmentDuration: segmentDuration, period: period)
      }
      let coder = coder!
      let (samples, beginsSegment) = try coder.encode(picture, at: time)
      if beginsSegment { owner.segmentBegins(at: time) }
      return .sample(samples[0], try coder.track(), loan)
    }
  }
}
