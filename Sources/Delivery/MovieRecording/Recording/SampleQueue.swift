internal import CaptureCore
internal import Synchronization
internal import VideoCoding

/// The coded pictures on their way from the thread that encodes to the thread that writes. Thread-safe.
///
/// What waits is bounded, because ``isFull`` makes the recorder leave frames out before they are encoded. What was
/// encoded can therefore always be decoded.
final class SampleQueue: SampleTarget {
  /// The number of coded bytes that wait for the disk above which frames are left out.
  static let waitingBytes = 32 << 20

  enum Element: Sendable {
    /// With a loan when the sample is the camera's own memory.
    case sample(MovieSample, MovieTrack, FrameLoan?)
    /// A sample of a pre-roll.
    case past(MovieSample, MovieTrack)
    /// No sample follows. The error is that of the encoder.
    case end(CaptureError?)
  }

  /// Bounded by `waitingBytes`, so that it is never full.
  private let elements = Mailbox<Element>(depth: 1 << 16)
  private let backlog = Mutex(Backlog())

  /// Whether the disk is too slow for more frames.
  var isFull: Bool { backlog.withLock(\.isFull) }

  func put(_ sample: MovieSample, of track: MovieTrack, _ loan: FrameLoan?) {
    backlog.withLock { $0.waiting += Self.size(of: sample) }
    elements.put(.sample(sample, track, loan))
  }

  /// Takes a sample of a pre-roll. It raises the bound, because the frames of the camera that follow would be left out
  /// otherwise. The bound of the pre-roll's history bounds these samples.
  func putPast(_ sample: MovieSample, of track: MovieTrack) {
    backlog.withLock { $0.add(past: Self.size(of: sample)) }
    elements.put(.past(sample, track))
  }

  /// Tells that no sample follows.
  func end(_ error: CaptureError?) { elements.put(.end(error)) }

  /// Waits for the next element, on the thread that writes.
  ///
  /// - Returns: nil once the queue is closed.
  func take() -> Element? {
    let element = elements.take()
    switch element {
    case .sample(let sample, _, _), .past(let sample, _): backlog.withLock { $0.take(Self.size(of: sample)) }
    case .end, nil: break
    }
    return element
  }

  func close() { elements.close() }

  /// The bytes that wait for the disk, as a value. They may grow by `waitingBytes` over the least that waited.
  private struct Backlog {
    var waiting = 0
    private var bound = SampleQueue.waitingBytes

    var isFull: Bool { waiting >= bound }

    mutating func add(past size: Int) {
      waiting += size
      bound += size
    }

    mutating func take(_ size: Int) {
      waiting -= size
      bound = min(bound, waiting + SampleQueue.waitingBytes)
    }
  }

  /// The part of `waitingBytes` that a sample takes. Each counts as at least a kilobyte, which bounds their number.
  private static func size(of sample: MovieSample) -> Int { sample.bytes.count + 1024 }
}
