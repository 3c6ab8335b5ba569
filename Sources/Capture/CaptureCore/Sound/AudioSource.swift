public import SystemClocks

/// A microphone that is capturing. The source owns the microphone's handle and the capture thread.
public protocol AudioSource: AnyObject, Sendable {
  /// The ``Microphone/id`` of the microphone.
  var deviceID: String { get }
  /// The form of all blocks of this source.
  var format: AudioFormat { get }
  /// By how many millionths the sound card's clock is faster than the machine's, as measured until now; negative where
  /// it is slower. The blocks are free of this drift. Nil until the source has listened long enough to know it.
  var drift: Double? { get }

  /// Stops capturing, then closes the microphone. When this method returns, another process can open the microphone,
  /// and the source does not call its sink any more. Calling this method twice, or after the microphone was lost, is
  /// harmless.
  func stop() async
}

/// The receiver of a microphone's sound. The source calls it on its capture thread, one call at a time, so no method
/// may block.
public protocol AudioSink: Sendable {
  /// Takes the next block. Every block comes, in order.
  func receive(_ block: AudioBlock)

  /// Notes that samples were lost. The source calls this at once; the block with the silence follows.
  func soundWasLost(_ loss: AudioLoss)

  /// Notes that the microphone was lost or failed. This is the last call of a source. The source does not make this
  /// call after ``AudioSource/stop()``.
  func sourceDidEnd(_ error: CaptureError)
}

/// A gap in the sound of a microphone.
public struct AudioLoss: Hashable, Sendable {
  /// What took the samples.
  public enum Cause: Hashable, Sendable {
    /// The daemon read too late, and the sound card's buffer ran over.
    case overrun
    /// The machine or the sound card was suspended.
    case suspended
  }

  /// What took the samples.
  public var cause: Cause
  /// The instant of the first sample that is missing.
  public var time: MonotonicInstant
  /// How long the gap is, in nanoseconds.
  public var nanoseconds: UInt64

  /// Creates a description of a gap.
  public init(_ cause: Cause, time: MonotonicInstant, nanoseconds: UInt64) {
    self.cause = cause
    self.time = time
    self.nanoseconds = nanoseconds
  }
}
