internal import CaptureCore
internal import Locking
internal import VideoCoding

/// The coded pictures on their way from the thread that encodes to the thread that writes. Thread-safe.
///
/// What waits is bounded, because ``isFull`` makes the recorder leave frames out before they are encoded. What was
/// encoded can therefore always be decoded.
final class SampleQueue: SampleTarget {
  enum Element: Sendable {
    /// A sample of a frame that was captured after the request. With a loan when it is the camera's own memory.
    case sample(MovieSample, MovieTrack, FrameLoan?)
    /// A sample of a pre-roll.
    case past(MovieSample, MovieTrack)
    /// Sound, which the thread that writes codes.
    case audio(AudioPiece)
    /// No sample follows. The error is that of the encoder.
    case end(CaptureError?)
  }

  /// Bounded by the backlog, so that it is never full.
  private let elements = Mailbox<Element>(depth: 1 << 16)
  private let backlog = Locked(SampleBacklog())

  /// Whether the disk is too slow for more frames.
  var isFull: Bool { backlog.withLock(\.isFull) }

  func put(_ sample: MovieSample, of track: MovieTrack, _ loan: FrameLoan?) {
    backlog.withLock { $0.add(sample.bytes.count) }
    elements.put(.sample(sample, track, loan))
  }

  /// Takes a sample of a pre-roll. It raises the bound, because the frames of the camera that follow would be left out
  /// otherwise. The bound of the pre-roll's history bounds these samples.
  func putPast(_ sample: MovieSample, of track: MovieTrack) {
    backlog.withLock { $0.add(sample.bytes.count, raisesBound: true) }
    elements.put(.past(sample, track))
  }

  /// Takes a piece of sound; that of a microphone is left out while too much waits for the disk.
  func put(_ piece: AudioPiece) {
    if backlog.withLock({ $0.admits(piece) }) { elements.put(.audio(piece)) }
  }

  /// Tells that no sample follows.
  func end(_ error: CaptureError?) { elements.put(.end(error)) }

  /// Waits for the next element, on the thread that writes.
  ///
  /// - Returns: nil once the queue is closed.
  func take() -> Element? {
    let element = elements.take()
    switch element {
    case .sample(let sample, _, _), .past(let sample, _): backlog.withLock { $0.take(sample.bytes.count) }
    case .audio(let piece): backlog.withLock { $0.take(piece.byteCount) }
    case .end, nil: break
    }
    return element
  }

  func close() { elements.close() }
}

/// The bytes that wait for the disk, as a value. They may grow by ``waitingBytes`` over the least that waited.
struct SampleBacklog {
  /// The number of coded bytes that wait for the disk above which frames are left out.
  static let waitingBytes = 32 << 20

  private var waiting = 0
  private var bound = waitingBytes

  /// Whether the disk is too slow for more frames.
  var isFull: Bool { waiting >= bound }

  /// Notes that a sample waits.
  ///
  /// - Parameter raisesBound: whether the samples that follow have as much room as without this one.
  mutating func add(_ size: Int, raisesBound: Bool = false) {
    waiting += Self.room(size)
    if raisesBound { bound += Self.room(size) }
  }

  /// Notes that a piece of sound waits, unless too much does and it is of a microphone. Silence, which has no samples,
  /// always may wait. Returns whether the piece may.
  mutating func admits(_ piece: AudioPiece) -> Bool {
    guard piece.origin != .microphone || piece.samples.isEmpty || !isFull else { return false }
    add(piece.byteCount, raisesBound: piece.origin == .preRoll)
    return true
  }

  /// Notes that a sample of this size waits no longer.
  mutating func take(_ size: Int) {
    waiting -= Self.room(size)
    bound = min(bound, waiting + Self.waitingBytes)
  }

  /// The bytes that a sample takes of ``waitingBytes``: its own and 1,024 more, which bounds the number of samples.
  private static func room(_ size: Int) -> Int { size + 1024 }
}
