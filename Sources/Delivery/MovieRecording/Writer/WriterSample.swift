public import CaptureCore
internal import Locking
internal import SystemClocks

/// A sample on its way into a writer.
struct WriterSample: Sendable {
  enum Content: Sendable {
    /// A picture, and whether a decoder can begin with it.
    case picture(CapturedFrame, isKeyFrame: Bool)
    /// Sound of the input with this id.
    case sound(AudioBlock, String)
  }

  /// When the picture is shown or the sound begins, in nanoseconds of the client's clock.
  let time: UInt64
  let content: Content

  /// The id of the input.
  var input: String {
    switch content {
    case .picture: WriterConfiguration.videoInput
    case .sound(_, let input): input
    }
  }

  init(_ frame: CapturedFrame, isKeyFrame: Bool = true) {
    time = frame.frame.time.monotonic.nanoseconds
    content = .picture(frame, isKeyFrame: isKeyFrame)
  }

  init(_ block: AudioBlock, of input: String) {
    time = block.time.nanoseconds
    content = .sound(block, input)
  }

  /// The sample at another time.
  ///
  /// - Parameter shift: the nanoseconds that are added to the time, beyond 64 bits if need be.
  func shifted(by shift: UInt64) -> WriterSample {
    guard shift != 0 else { return self }
    let instant = MonotonicInstant(nanoseconds: time &+ shift)
    switch content {
    case .picture(let captured, let isKeyFrame):
      let frame = captured.frame
      var time = frame.time
      time.monotonic = instant
      return WriterSample(
        captured.with(
          Frame(
            streamID: frame.streamID, sequence: frame.sequence, time: time, layout: frame.layout, buffer: frame.buffer,
            missing: frame.missing, sensor: frame.sensor, layers: frame.layers)), isKeyFrame: isKeyFrame)
    case .sound(var block, let input):
      block.time = instant
      return WriterSample(block, of: input)
    }
  }
}

extension AudioBlock {
  /// How long the block is, in nanoseconds.
  var duration: UInt64 { format.nanoseconds(ofSamples: count) }
}

/// A source of a writer's samples: a call of a client, or the output of a session. Thread-safe.
public final class WriterSource: Sendable {
  let number: UInt64
  /// Whether a camera gives the samples, which never waits.
  let isAttached: Bool
  private let room: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let whenEnded: @Sendable () -> Void
  private let reason = Locked<CaptureError?>(nil)

  /// - Parameter whenEnded: called once, when no more samples of the source get through.
  init(number: UInt64, isAttached: Bool, whenEnded: @escaping @Sendable () -> Void) {
    self.number = number
    self.isAttached = isAttached
    self.whenEnded = whenEnded
    (room, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Why no more samples of the source get through. Nil while they do.
  public var ending: CaptureError? { reason.withLock { $0 } }

  /// Ends the source. Only the first reason counts.
  func end(_ error: CaptureError) {
    let isFirst = reason.withLock { reason in
      defer { reason = reason ?? error }
      return reason == nil
    }
    guard isFirst else { return }
    signal.finish()
    whenEnded()
  }

  /// Tells that there may be room for more samples.
  func tellRoom() { signal.yield() }

  /// Waits until there may be room, or the source ends, or the task is cancelled.
  func waitForRoom() async {
    var iterator = room.makeAsyncIterator()
    await iterator.next()
  }
}

/// The rules for pictures that come coded, as a value. Each may need those before it, back to the last key frame.
struct CodedOrder: Sendable {
  /// The bytes from a key frame on after which the next one has to come. The file keeps them in memory until then.
  static let mostBytes = 32 << 20
  /// How long after a key frame a picture may need it, in nanoseconds.
  static let longestTime: UInt64 = 60_000_000_000

  private var lastKeyFrame: UInt64 = 0
  private var bytes = 0
  /// Whether a picture since the last key frame was refused, so that only a key frame can be decoded next.
  private(set) var hasGap = false

  /// Checks that a picture without a gap before it is not too far from its key frame.
  ///
  /// - Throws: `invalidArgument`.
  func check(_ picture: CapturedFrame, isKeyFrame: Bool) throws(CaptureError) {
    let time = picture.frame.time.monotonic.nanoseconds
    guard !isKeyFrame, !hasGap else { return }
    guard bytes >= Self.mostBytes || time - min(time, lastKeyFrame) > Self.longestTime else { return }
    throw CaptureError(
      .invalidArgument, "More than 32 MiB or 60 s came since the last key frame; append a key frame.",
      field: "sample.data")
  }

  /// Notes a picture that was taken.
  mutating func note(_ picture: CapturedFrame, isKeyFrame: Bool) {
    if isKeyFrame { (lastKeyFrame, bytes, hasGap) = (picture.frame.time.monotonic.nanoseconds, 0, false) }
    bytes += picture.frame.buffer.count
  }

  /// Notes a picture that was refused.
  mutating func noteRefused() { hasGap = true }
}
