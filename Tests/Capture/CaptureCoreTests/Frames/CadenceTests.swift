import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

/// Tests how an output counts the intervals and the lateness of the frames that it hands to readers. Operators read
/// both as histograms in the metrics.
@Suite struct CadenceTests {
  private static let millisecond: UInt64 = 1_000_000

  /// A frame of the stream `stream` that was captured at `milliseconds` of CLOCK_MONOTONIC.
  private func frame(stream: UInt64, at milliseconds: UInt64) -> Frame {
    .fake(
      sequence: milliseconds, streamID: stream, at: .epoch + milliseconds * Self.millisecond,
      layout: .packed(.nv12, Size(width: 64, height: 36))!)!
  }

  /// A span is counted in the first bucket whose bound is not below the span; a span above the last bound is counted in
  /// one more bucket.
  @Test("D7: a span is in the first bucket that holds it") func aSpanIsCountedInTheFirstBucketThatHoldsIt() {
    var spans = SpanHistogram()
    let bounds = SpanHistogram.bounds
    #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
    spans.add(0)
    for bound in bounds { spans.add(bound) }
    spans.add(bounds[0] + 1)
    spans.add(bounds.last! + 1)
    #expect(spans.counts == [2, 2] + [UInt64](repeating: 1, count: bounds.count - 1))
    #expect(spans.sum == bounds.reduce(0, +) + bounds[0] + 1 + bounds.last! + 1)
  }

  /// The first frame of a reader or of a stream has no interval, and neither has a frame before which the reader asked
  /// to leave out frames. A frame whose time stamp is later than its handover counts as 0 ns late.
  @Test("D7: an interval is between two frames of one reader and stream; lateness counts from the capture")
  func intervalsAndLatenessAreCountedPerReader() {
    let meter = CadenceMeter()
    let (first, second) = (ReaderCadence(meter), ReaderCadence(meter))
    first.handOver(frame(stream: 1, at: 100), at: .epoch + 103 * Self.millisecond)
    second.handOver(frame(stream: 1, at: 100), at: .epoch + 104 * Self.millisecond)
    #expect(meter.current.interval.sum == 0, "neither reader had a frame before")
    first.handOver(frame(stream: 1, at: 133), at: .epoch + 140 * Self.millisecond)
    #expect(meter.current.interval.sum == 37 * Self.millisecond)
    #expect(meter.current.lateness.sum == (3 + 4 + 7) * Self.millisecond)
    first.handOver(frame(stream: 2, at: 900), at: .epoch + 901 * Self.millisecond)
    first.handOver(frame(stream: 2, at: 1000), at: .epoch + 1001 * Self.millisecond, followsAtOnce: false)
    #expect(
      meter.current.interval.counts.reduce(0, +) == 1,
      "neither a restart nor frames that the reader left out make an interval")
    first.handOver(frame(stream: 2, at: 1040), at: .epoch + 1030 * Self.millisecond)
    #expect(meter.current.interval.sum == (37 + 29) * Self.millisecond)
    #expect(
      meter.current.lateness.sum == (14 + 1 + 1) * Self.millisecond,
      "the last frame is stamped later than its handover, and adds 0")
    #expect(meter.current.lateness.counts.reduce(0, +) == 6)
  }
}
