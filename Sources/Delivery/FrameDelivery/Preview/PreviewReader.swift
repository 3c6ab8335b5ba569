public import CaptureCore
public import Imaging

/// One reader of a preview. When the reader is detached or released, the work that only this reader wanted ends.
///
/// Thread-safe, but ``next()`` has only one caller at a time.
public final class PreviewReader: StreamReader {
  private let slot: ReaderSlot
  private let encoding: PreviewEncoding
  private let output: PreviewOutput
  private let context: (any OutputContext)?
  private let cadence: ReaderCadence

  init(slot: ReaderSlot, encoding: PreviewEncoding, output: PreviewOutput, context: (any OutputContext)?) {
    self.slot = slot
    self.encoding = encoding
    self.output = output
    self.context = context
    cadence = ReaderCadence(output.cadence)
  }

  deinit { output.detach(slot.token) }

  /// Names this reader: 128 random bits in hexadecimal.
  public var token: String { slot.token }

  /// Waits for the next event. The first event is a status, and another one comes whenever the status has changed.
  /// Every other event is the newest frame that the reader has not had yet.
  ///
  /// - Throws: `CaptureError` when the output was closed; `CancellationError` when the task was cancelled or the
  ///   reader detached. Cancelling the task ends only the wait: no event is lost.
  public func next() async throws -> PreviewEvent { event(try await slot.next()) }

  /// Returns a function that asks for the next event and does not wait; see ``StreamReader/asking(_:)``. `receiver`
  /// gets what ``next()`` would return or throw, on the thread that brings the event, which may be the capture thread.
  public func asking(_ receiver: @escaping @Sendable (Result<PreviewEvent, any Error>) -> Void) -> @Sendable () -> Void
  {
    let events: ReaderSlot.Receiver = { [self] in receiver($0.map(event)) }
    return { [slot] in slot.next(events) }
  }

  /// Calls `observer` once when there is an event for ``take()``: at once, or on the thread that brings the event,
  /// which may be the capture thread. Newer frames still take the place of a frame that is not taken. Does nothing
  /// while an observer waits already.
  public func whenReady(_ observer: @escaping @Sendable () -> Void) { slot.whenReady(observer) }

  /// Returns the next event without waiting. Nil when there is none now.
  ///
  /// - Throws: `CaptureError` when the output was closed; `CancellationError` when the reader is detached.
  public func take() throws -> PreviewEvent? {
    switch slot.take() {
    case .wait: nil
    case .deliver(let next): event(next)
    case .end(.closed(let error)): throw error
    case .end(.detached): throw CancellationError()
    }
  }

  /// Ends the wait that a function of ``asking(_:)`` has begun.
  public func abandonNext() { slot.abandonNext() }

  private func event(_ event: ReaderSlot.Machine.Event) -> PreviewEvent {
    switch event {
    case .status(let status):
      return .status(
        PreviewStatus(
          token: slot.token, session: status.session, isPreviewing: status.areFramesComing, size: status.size,
          encoding: encoding, quality: status.quality, every: status.every))
    case .frame(let waiting, let dropped, let omitted):
      context?.didSend(waiting.frame.frame, from: output.id)
      cadence.handOver(waiting.frame.frame, at: output.now(), followsAtOnce: omitted == 0)
      return .frame(
        PreviewPicture(
          captured: waiting.frame, encoding: encoding, isKeyFrame: waiting.isKeyFrame, dropped: dropped,
          omitted: omitted, memo: waiting.memo))
    }
  }

  /// Says that the reader has consumed the frame of `sequence` and all frames sent before that frame. Does nothing for
  /// a reader without a limit of unacknowledged frames.
  public func acknowledge(sequence: UInt64) { slot.acknowledge(sequence) }

  /// Asks for a picture that can be decoded alone, for a reader of H.264. All readers of the encoding get the picture,
  /// if ``KeyFrameBudget`` allows one. Does nothing for other encodings, nor while the reader's encoding is not known.
  package func requestKeyFrame() { output.requestKeyFrame(for: slot.token) }

  /// Leaves the output. From now on ``next()`` throws `CancellationError`. Further calls do nothing.
  public func detach() { output.detach(slot.token) }
}

/// What a reader of a preview gets.
public enum PreviewEvent: Sendable {
  case status(PreviewStatus)
  case frame(PreviewPicture)
}

/// One picture of a preview.
public struct PreviewPicture: Sendable {
  /// The frame as this reader gets it. Its numbers, times, input and revision are those of the captured frame; its
  /// layout and bytes are those of the encoded picture. A slow reader of encoded pictures therefore never holds the
  /// camera's own memory.
  public var captured: CapturedFrame
  /// How the picture is encoded.
  public var encoding: PreviewEncoding
  /// Whether the picture can be decoded without the pictures before it.
  public var isKeyFrame: Bool
  /// Frames that this reader lost since the frame before, by cause.
  public var dropped: DropCounts
  /// Frames that were left out since the frame before because the reader asked for fewer.
  public var omitted: UInt64
  /// Shared by the readers who get this picture in the same encoding. Nil when only one reader gets the picture.
  public var memo: PictureMemo?

  /// The layout and the bytes of the picture.
  public var picture: Picture { captured.frame.picture }
}

/// The status of a preview stream. The status tells why a picture is frozen.
public struct PreviewStatus: Hashable, Sendable {
  /// Names the reader for ``ReaderDirectory/acknowledge(token:sequence:)``.
  public var token: String
  /// The state of the session, or of the output's own camera when the session has several, with its cause.
  public var session: SessionStatus
  /// Whether the preview shows the camera: the session runs, the output is connected and has started, and the camera is
  /// not taking a photo that is larger than its frames.
  public var isPreviewing: Bool
  /// The size of the frames that follow, in pixels. Nil while it is not known; known at the latest with the first
  /// frame.
  public var size: Size?
  /// How the pictures of the stream are encoded.
  public var encoding: PreviewEncoding
  /// The quality of the JPEG or H.264 pictures that follow, 1 to 100. 0 for raw pictures, for the camera's own JPEG,
  /// and while the quality is not known.
  public var quality: Int
  /// The reader gets every n-th of the frames that it asked for. More than 1 only while its link is slow.
  public var every: Int
}
