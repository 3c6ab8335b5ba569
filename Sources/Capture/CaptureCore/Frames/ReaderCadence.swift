internal import Locking
public import SystemClocks

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
