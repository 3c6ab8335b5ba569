internal import CaptureCore

/// One reader of a preview. Ends its part of the work when it is detached or let go.
///
/// Thread-safe, but ``next()`` has one caller at a time.
public final class PreviewReader: Sendable {
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

  /// Names this reader; 128 random bits in hexadecimal.
  public var token: String { slot.token }

  /// Waits for what comes next: a status first and whenever it changes, else the newest frame not yet delivered.
  ///
  /// - Throws: `CaptureError` when the output was closed, `CancellationError` when the task was cancelled or the reader
  ///   detached. Cancelling loses nothing but the wait.
  public func next() async throws -> PreviewEvent { event(try await slot.next()) }

  /// A function that calls `receiver` once, each time it is called, with what ``next()`` would return: at once, or later on
  /// whichever thread brings it, be it the capture thread, which must not be kept long. The function keeps the reader.
  public func asking(_ receiver: @escaping @Sendable (Result<PreviewEvent, any Error>) -> Void) -> @Sendable () -> Void
  {
    let events: ReaderSlot.Receiver = { [self] in receiver($0.map(event)) }
    return { [slot] in slot.next(events) }
  }

  /// Ends a question of ``asking(_:)`` that waits with `CancellationError`; no event is lost.
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

  /// Says that the frame of `sequence`, and all sent before it, are consumed. Without a limit it does nothing.
  public func acknowledge(sequence: UInt64) { slot.acknowledge(sequence) }

  /// Leaves the output; ``next()`` throws `CancellationError` from now on. Calling it twice is harmless.
  public func detach() { output.detach(slot.token) }
}
