internal import Locking
public import SystemClocks

/// How evenly and how late an output hands its frames to readers.
public struct Cadence: Hashable, Sendable {
  /// The time between the handover of a frame and the handover of the frame before, to the same reader and of the same
  /// stream.
  public var interval = SpanHistogram()
  /// The time from the capture of a frame, as the driver stamped it, to the handover of the frame to a reader.
  public var lateness = SpanHistogram()

  /// Creates a cadence that has counted no frame.
  public init() {}
}

/// Counts the cadence of one output on the threads of the output's readers. Thread-safe; counting a frame allocates no
/// memory.
public final class CadenceMeter: Sendable {
  private let state = Locked(Cadence())

  /// Creates a meter that has counted no frame.
  public init() {}

  /// The cadence of all frames until now.
  public var current: Cadence { state.withLock { $0 } }

  func add(interval: UInt64?, lateness: UInt64) {
    state.withLock { cadence in
      if let interval { cadence.interval.add(interval) }
      cadence.lateness.add(lateness)
    }
  }
}

/// Counts the frames of one reader into the cadence of the reader's output. Thread-safe, but the caller must hand over
/// one frame at a time.
public final class ReaderCadence: Sendable {
  private struct Last {
    var streamID: UInt64
    var instant: MonotonicInstant
  }
  private let last = Locked<Last?>(nil)
  private let meter: CadenceMeter

  /// Creates a count that adds to `meter`, which belongs to the reader's output.
  public init(_ meter: CadenceMeter) { self.meter = meter }

  /// Counts the handover of a frame to the reader.
  ///
  /// - Parameters:
  ///   - now: the instant of the handover.
  ///   - followsAtOnce: false when the reader itself asked to leave out frames between the former frame and this one.
  ///     The interval between the two then says nothing about the output and is not counted.
  public func handOver(_ frame: Frame, at now: MonotonicInstant, followsAtOnce: Bool = true) {
    let interval: UInt64? = last.withLock { last in
      defer { last = Last(streamID: frame.streamID, instant: now) }
      guard let last, last.streamID == frame.streamID, followsAtOnce else { return nil }
      return now.nanoseconds(since: last.instant)
    }
    // The time stamp can be later than `now`: some drivers stamp the end of a frame that they have already delivered.
    meter.add(interval: interval, lateness: now.nanoseconds(since: frame.time.monotonic))
  }
}

/// Counts spans of time by their length, in a fixed number of buckets.
public struct SpanHistogram: Hashable, Sendable {
  /// The longest span that each bucket counts, in nanoseconds. The bounds lie close together around the periods and
  /// half periods of cameras of 10, 15, 30 and 60 frames a second. One more bucket counts all spans that are longer
  /// than the last bound.
  public static let bounds: [UInt64] = [
    1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 65, 80, 100, 150, 250, 500, 1000, 5000,
  ].map { $0 * 1_000_000 }

  /// The number of spans in each bucket, not added up from bucket to bucket. There is one bucket more than there are
  /// ``bounds``.
  public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// The sum of all spans in nanoseconds.
  public private(set) var sum: UInt64 = 0

  /// Creates a histogram without spans.
  public init() {}

  /// Counts one span of `nanoseconds`.
  public mutating func add(_ nanoseconds: UInt64) {
    counts[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
    sum += nanoseconds
  }
}
