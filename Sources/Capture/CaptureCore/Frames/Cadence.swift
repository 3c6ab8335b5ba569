internal import Synchronization

/// How often spans of time were how long, in bounded buckets.
public struct SpanHistogram: Hashable, Sendable {
  /// What each bucket holds at most, nanoseconds. Close together around the periods and half periods of cameras of 10, 15, 30
  /// and 60 frames a second; what is longer than the last is in one bucket more.
  public static let bounds: [UInt64] = [
    1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 65, 80, 100, 150, 250, 500, 1000, 5000,
  ].map { $0 * 1_000_000 }

  /// In each bucket alone; one more than there are ``bounds``.
  public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// Of all spans, nanoseconds.
  public private(set) var sum: UInt64 = 0

  public init() {}

  /// Counts one.
  public mutating func add(_ nanoseconds: UInt64) {
    counts[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
    sum += nanoseconds
  }
}

/// How evenly and how late an output hands its frames to readers.
public struct Cadence: Hashable, Sendable {
  /// Between a frame and the one before, to the same reader, of the same stream.
  public var interval = SpanHistogram()
  /// From a frame's capture, as the driver stamped it, to its being handed to a reader.
  public var lateness = SpanHistogram()

  public init() {}
}

/// An output's cadence, which its readers' threads count. Thread-safe; a frame costs no allocation.
public final class CadenceMeter: Sendable {
  private let state = Mutex(Cadence())

  public init() {}

  /// The counts so far.
  public var current: Cadence { state.withLock { $0 } }

  fileprivate func add(interval: UInt64?, lateness: UInt64) {
    state.withLock { cadence in
      if let interval { cadence.interval.add(interval) }
      cadence.lateness.add(lateness)
    }
  }
}

/// One reader's part in its output's cadence. Thread-safe, but frames come one at a time.
public final class ReaderCadence: Sendable {
  private struct Last {
    var streamID: UInt64
    var instant: UInt64
  }
  private let last = Mutex<Last?>(nil)
  private let meter: CadenceMeter

  public init(_ meter: CadenceMeter) { self.meter = meter }

  /// A frame is handed to the reader.
  ///
  /// - Parameters:
  ///   - now: CLOCK_MONOTONIC.
  ///   - followsAtOnce: false when the reader itself asked for some frames in between to be left out: that span says nothing of
  ///     the output.
  public func handOver(_ frame: Frame, at now: UInt64, followsAtOnce: Bool = true) {
    let interval: UInt64? = last.withLock { last in
      defer { last = Last(streamID: frame.streamID, instant: now) }
      guard let last, last.streamID == frame.streamID, followsAtOnce else { return nil }
      return now - min(now, last.instant)
    }
    // Some drivers stamp the end of a frame that they have already given out.
    meter.add(interval: interval, lateness: now - min(now, frame.time.monotonicNanoseconds))
  }
}
