internal import CaptureCore

/// A source that streams, with the pool that holds its frames.
struct RunningSource {
  /// Names the source as ``ResolvedConfiguration/Input/sourceID`` does.
  let sourceID: String
  let source: any FrameSource
  let pool: FramePool
  /// Frames per second that the source brings.
  var frameRate: Rational
}

/// Tells reports of a camera's present source from late reports of its former sources. A value.
struct SourceGenerations: Sendable {
  /// The number of the source that started last.
  private(set) var current: UInt64 = 0
  /// The newest source that stalled or ended without being stopped, and the interruption that its error causes; the
  /// reason is nil for an error that ends the session.
  private(set) var lost: (generation: UInt64, reason: InterruptionReason?)?
  private var last: UInt64 = 0

  /// Returns the number for a source that is about to start.
  mutating func next() -> UInt64 {
    last += 1
    return last
  }

  /// Makes a source the present one after it has started. Until then the former source stays the present one: if the
  /// new source fails to start, the reports of a former source that still runs must count.
  mutating func started(_ generation: UInt64) { current = generation }

  /// Notes that a source stalled or ended without being stopped.
  ///
  /// - Returns: whether the source is the present one.
  mutating func noteLoss(of generation: UInt64, _ error: CaptureError) -> Bool {
    if generation >= lost?.generation ?? 0 { lost = (generation, InterruptionReason(error)) }
    return generation == current
  }

  /// Whether the present source stalled or ended without being stopped.
  var isLost: Bool { lost?.generation == current }
}

/// Passes the frames of one source to the fan-out, and reports to the session when the source stalls or ends.
final class PipelineSink: FrameSink {
  private let frames: FrameFanOut
  private let onOddity: @Sendable (SourceOddity) -> Void
  private let onStall: @Sendable (CaptureError) -> Void
  private let onEnd: @Sendable (CaptureError) -> Void

  init(
    frames: FrameFanOut, onOddity: @escaping @Sendable (SourceOddity) -> Void = { _ in },
    onStall: @escaping @Sendable (CaptureError) -> Void,
    onEnd: @escaping @Sendable (CaptureError) -> Void
  ) {
    self.frames = frames
    self.onOddity = onOddity
    self.onStall = onStall
    self.onEnd = onEnd
  }

  func receive(_ frame: Frame) { frames.publish(frame) }

  func receive(_ frame: Frame, ofRevision revision: UInt64) { frames.publish(frame, of: revision) }

  func pictureWasDamaged() { frames.noteDamage() }

  func sourceIsOdd(_ oddity: SourceOddity) { onOddity(oddity) }

  func sourceDidStall(_ error: CaptureError) { onStall(error) }

  func sourceDidEnd(_ error: CaptureError) { onEnd(error) }
}
