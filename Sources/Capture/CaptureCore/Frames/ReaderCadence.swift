internal import Synchronization

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
