internal import CaptureCore
internal import SystemClocks

/// Decides which pictures belong to which chunk. A value.
struct ChunkRotation: Sendable {
  /// What becomes of a picture.
  enum Place: Hashable, Sendable {
    /// It begins a chunk. A chunk that is open ends before it.
    case begins
    /// It continues the open chunk.
    case continues
    /// It cannot be decoded at the beginning of a chunk, and there is no chunk for it to continue.
    case lost
  }

  /// A picture with the facts that decide.
  struct Arrival: Sendable {
    var captured: MonotonicInstant
    var streamID: UInt64
    var isKeyFrame: Bool
    /// Whether a decoder of the open chunk can decode the picture and those after it.
    var fits = true
    var bytes: Int
  }

  /// The size at which a chunk ends early, in bytes.
  static let largest = 256 << 20
  /// The time after the latency, without another picture, after which a chunk ends without a successor, in nanoseconds.
  static let patience: UInt64 = 1_000_000_000

  private let latency: UInt64
  private var open: (start: MonotonicInstant, streamID: UInt64, bytes: Int, newest: MonotonicInstant)?

  /// - Parameter latency: the least duration of a chunk, in nanoseconds.
  init(latency: UInt64) { self.latency = latency }

  /// Takes a picture.
  ///
  /// - Parameter now: when the picture came.
  /// - Returns: what becomes of the picture, and whether the encoder must be asked for a key frame, because the next
  ///   one begins another chunk.
  mutating func place(_ arrival: Arrival, at now: MonotonicInstant) -> (Place, asksForKeyFrame: Bool) {
    let place: Place
    if let open, arrival.streamID == open.streamID, arrival.fits, !(arrival.isKeyFrame && isFull(at: arrival.captured))
    {
      place = .continues
      self.open?.bytes += arrival.bytes
      self.open?.newest = now
    } else if arrival.isKeyFrame {
      place = .begins
      open = (arrival.captured, arrival.streamID, arrival.bytes, now)
    } else {
      place = .lost
    }
    return (place, place == .lost || isFull(at: arrival.captured))
  }

  private func isFull(at instant: MonotonicInstant) -> Bool {
    guard let open else { return true }
    return instant.nanoseconds(since: open.start) >= latency || open.bytes >= Self.largest
  }

  /// When the open chunk ends although no picture comes. Nil without an open chunk.
  var deadline: MonotonicInstant? {
    open.map { max($0.start + latency, $0.newest) + Self.patience }
  }

  /// Ends the open chunk. The next one begins with a key frame.
  mutating func close() { open = nil }
}
