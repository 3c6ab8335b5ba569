public import CaptureCore
internal import SystemClocks

/// One reader of a video data output. The reader leaves the output when it is detached or released.
///
/// Thread-safe, but ``next()`` has only one caller at a time.
public final class VideoDataReader: StreamReader {
  private let slot: ReaderSlot
  private let output: VideoDataOutput
  private let context: (any OutputContext)?
  private let cadence: ReaderCadence

  init(slot: ReaderSlot, output: VideoDataOutput, context: (any OutputContext)?) {
    self.slot = slot
    self.output = output
    self.context = context
    cadence = ReaderCadence(output.cadence)
  }

  deinit { output.detach(slot.token) }

  /// How the camera's frames lie in memory; nil while the session has no camera.
  public var frameLayout: FrameLayout? { output.frameLayout }

  /// Names this reader: 128 random bits in hexadecimal.
  public var token: String { slot.token }

  /// Waits for the next event. The first event is a status, and another one comes whenever the status has changed.
  /// Every other event is the oldest frame that waits.
  ///
  /// - Throws: `CaptureError` when the output was closed, or with `messageLimit` when a frame does not fit;
  ///   `CancellationError` when the task was cancelled or the reader detached. Cancelling the task ends only the wait:
  ///   no event is lost.
  public func next() async throws -> VideoDataEvent { event(try await slot.next()) }

  /// Returns a function that asks for the next event and does not wait; see ``StreamReader/asking(_:)``. `receiver`
  /// gets what ``next()`` would return or throw, on the thread that brings the event, which may be the capture thread.
  public func asking(
    _ receiver: @escaping @Sendable (Result<VideoDataEvent, any Error>) -> Void
  ) -> @Sendable () -> Void {
    let events: ReaderSlot.Receiver = { [self] in receiver($0.map(event)) }
    return { [slot] in slot.next(events) }
  }

  /// Ends the wait that a function of ``asking(_:)`` has begun.
  public func abandonNext() { slot.abandonNext() }

  private func event(_ event: ReaderSlot.Machine.Event) -> VideoDataEvent {
    switch event {
    case .status(let status):
      return .status(
        VideoDataStatus(
          token: slot.token, session: status.session, size: status.size, pixelFormat: status.pixelFormat))
    case .frame(let waiting, let dropped, _):
      context?.didSend(waiting.frame.frame, from: output.id)
      cadence.handOver(waiting.frame.frame, at: .now())
      return .frame(waiting.frame, dropped: dropped, memo: waiting.memo)
    }
  }

  /// Whether this reader may keep a frame for longer than it takes to send the frame. A reader that may not loses the
  /// frame, and counts it as ``loss(of:)``.
  ///
  /// - Parameters:
  ///   - frame: the frame that the reader wants to keep.
  ///   - count: how many other frames the reader keeps already.
  public func mayKeep(_ frame: Frame, besides count: Int) -> Bool { output.mayLend(frame, besides: count) }

  /// Returns how a frame that this reader may not keep counts as lost. A frame of a stream that is over counts as a
  /// discontinuity, because no other reader needs its memory. Any other frame counts as out of buffers, because other
  /// readers need its memory.
  public func loss(of frame: Frame) -> DropCounts {
    context?.isOver(frame) == true ? DropCounts(discontinuity: 1) : DropCounts(outOfBuffers: 1)
  }

  /// Asks for this many frames beyond those that the reader asked for before; see ``VideoDataRequest/asksForFrames``.
  public func ask(_ frames: Int) { slot.allow(frames) }

  /// Says that the reader has consumed the frame of `sequence` and all frames sent before that frame. Does nothing for
  /// a reader without a limit of unacknowledged frames.
  public func acknowledge(sequence: UInt64) { slot.acknowledge(sequence) }

  /// Leaves the output. From now on ``next()`` throws `CancellationError`. Further calls do nothing.
  public func detach() { output.detach(slot.token) }
}

/// What a reader of a video data output gets.
public enum VideoDataEvent: Sendable {
  case status(VideoDataStatus)
  /// A frame, the frames that this reader lost since the frame before by cause, and what all readers of this frame
  /// share. The memo is nil when only one reader gets the frame.
  case frame(CapturedFrame, dropped: DropCounts, memo: PictureMemo?)
}

/// The status of a video data stream.
public struct VideoDataStatus: Hashable, Sendable {
  /// Names the reader for ``ReaderDirectory/acknowledge(token:sequence:)``.
  public var token: String
  /// The state of the session, with its cause.
  public var session: SessionStatus
  /// The size of the frames that follow, in pixels. Nil before the first frame.
  public var size: Size?
  /// The pixel format of the frames that follow. Nil before the first frame.
  public var pixelFormat: PixelFormat?
}
