public import CaptureCore

/// One reader of a video data output. Leaves it when it is detached or let go.
///
/// Thread-safe, but ``next()`` has one caller at a time.
public final class VideoDataReader: Sendable {
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

  /// Names this reader; 128 random bits in hexadecimal.
  public var token: String { slot.token }

  /// Waits for what comes next: a status first and whenever it changes, else the oldest frame that waits.
  ///
  /// - Throws: `CaptureError` when the output was closed or a frame does not fit (`messageLimit`), `CancellationError` when
  ///   the task was cancelled or the reader detached. Cancelling loses nothing but the wait.
  public func next() async throws -> VideoDataEvent { event(try await slot.next()) }

  /// As ``PreviewReader/asking(_:)``.
  public func asking(
    _ receiver: @escaping @Sendable (Result<VideoDataEvent, any Error>) -> Void
  ) -> @Sendable () -> Void {
    let events: ReaderSlot.Receiver = { [self] in receiver($0.map(event)) }
    return { [slot] in slot.next(events) }
  }

  /// As ``PreviewReader/abandonNext()``.
  public func abandonNext() { slot.abandonNext() }

  private func event(_ event: ReaderSlot.Machine.Event) -> VideoDataEvent {
    switch event {
    case .status(let status):
      return .status(
        VideoDataStatus(
          token: slot.token, session: status.session, size: status.size, pixelFormat: status.pixelFormat))
    case .frame(let waiting, let dropped, _):
      context?.didSend(waiting.frame.frame, from: output.id)
      cadence.handOver(waiting.frame.frame, at: SystemClock.monotonicNanoseconds())
      return .frame(waiting.frame, dropped: dropped, memo: waiting.memo)
    }
  }

  /// Whether this reader may keep `frame` for longer than it takes to send it, while it keeps `count` others. When it may
  /// not, the frame counts as ``loss(of:)`` for it.
  public func mayKeep(_ frame: Frame, besides count: Int) -> Bool { output.mayLend(frame, besides: count) }

  /// What a frame counts as that this reader may not keep: of a stream that is over, nobody else needs the memory.
  public func loss(of frame: Frame) -> DropCounts {
    context?.isOver(frame) == true ? DropCounts(discontinuity: 1) : DropCounts(outOfBuffers: 1)
  }

  /// Asks for frames beyond those asked for before; see ``VideoDataRequest/asksForFrames``.
  public func ask(_ frames: Int) { slot.allow(frames) }

  /// Says that the frame of `sequence`, and all sent before it, are consumed. Without a limit it does nothing.
  public func acknowledge(sequence: UInt64) { slot.acknowledge(sequence) }

  /// Leaves the output; ``next()`` throws `CancellationError` from now on. Calling it twice is harmless.
  public func detach() { output.detach(slot.token) }
}
