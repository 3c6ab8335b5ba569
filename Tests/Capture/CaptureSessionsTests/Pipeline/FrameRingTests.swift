import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests which frames the ring keeps, and which frame it finds for a photo. A wrong frame would be a photo of another
/// moment than the person saw.
@Suite struct FrameRingTests {
  private let pool = FramePool(budget: 64 << 20)

  /// A frame that was captured at `milliseconds` of CLOCK_MONOTONIC; nil for 33 ms per sequence number. The wall clock
  /// is 1000 s ahead.
  private func frame(_ sequence: UInt64, stream: UInt64 = 1, at milliseconds: UInt64? = nil, bytes: Int = 16)
    -> CapturedFrame
  {
    let instant = (milliseconds ?? sequence * 33) * 1_000_000
    let layout = FrameLayout.packed(.mjpeg, Size(width: 4, height: 4))!
    let time = FrameTime(
      monotonic: MonotonicInstant(nanoseconds: instant), wall: .epoch + 1_000_000_000_000 + instant,
      source: .startOfExposure)
    let buffer = pool.take(bytes)!.freeze(count: bytes)
    return CapturedFrame(
      frame: Frame(streamID: stream, sequence: sequence, time: time, layout: layout, buffer: buffer), input: "camera",
      configRevision: 1)
  }

  /// An empty ring that keeps `window` milliseconds, `frames` frames and `bytes` bytes at most.
  private func ring(window: UInt64 = 600, frames: Int = 100, bytes: Int = 1 << 20) -> FrameRing {
    FrameRing(limits: .init(windowNanoseconds: window * 1_000_000, maximumFrames: frames, maximumBytes: bytes))
  }

  /// After the ring was cleared, the streams up to the last frame's stream are over, even before a newer frame comes,
  /// so that no reader is shown a frame of them.
  @Test func clearingTheRingEndsItsStream() {
    let ring = ring()
    #expect(ring.earliestStreamID <= 1)
    ring.append(frame(0, stream: 7))
    #expect(ring.earliestStreamID <= 7)
    ring.removeAll()
    #expect(ring.earliestStreamID == 8, "stream 7 is over although no newer frame has come")
    ring.append(frame(0, stream: 9))
    #expect(ring.newest?.frame.streamID == 9)
  }

  /// A photo of a frame that is kept is made of exactly this frame, with or without the id of the stream.
  @Test func findsTheFrameOfASequenceNumber() {
    let ring = ring()
    for sequence in 0..<40 { ring.append(frame(UInt64(sequence))) }
    let found = ring.frame(nearest: .sequence(33, streamID: nil))
    #expect(found?.frame.frame.sequence == 33)
    #expect(found?.exact == true)
    #expect(ring.frame(nearest: .sequence(33, streamID: 1))?.exact == true)
  }

  /// For a frame that is no longer kept, or has not come yet, the ring gives the nearest one and reports that the frame
  /// is not exact.
  @Test func reportsWhenTheFoundFrameIsOnlyTheNearest() {
    let ring = ring()
    for sequence in 0..<40 { ring.append(frame(UInt64(sequence))) }
    let tooOld = ring.frame(nearest: .sequence(2, streamID: nil))
    #expect(tooOld?.exact == false)
    #expect(tooOld?.frame.frame.sequence == 21, "frame 21 is the oldest frame within 600 ms before frame 39")
    let notYet = ring.frame(nearest: .sequence(50, streamID: nil))
    #expect(notYet?.exact == false)
    #expect(notYet?.frame.frame.sequence == 39)
  }

  /// For a frame of an earlier stream, the ring gives its oldest frame, the nearest in time; for a later stream, its
  /// newest. Neither is exact, even if the sequence number is the same.
  @Test func aFrameOfAnotherStreamIsNeverExact() {
    let ring = ring()
    for sequence in 0..<5 { ring.append(frame(UInt64(sequence), stream: 7, at: UInt64(1000 + sequence))) }
    let stale = ring.frame(nearest: .sequence(3, streamID: 6))
    #expect(stale?.exact == false)
    #expect(stale?.frame.frame.sequence == 0)
    #expect(ring.frame(nearest: .sequence(3, streamID: 8))?.frame.frame.sequence == 4)
  }

  /// The ring finds the frame nearest to a time of the monotonic or of the wall clock.
  @Test func findsByEitherClock() {
    let ring = ring()
    for sequence in 0..<10 { ring.append(frame(UInt64(sequence))) }
    #expect(ring.frame(nearest: .monotonic(.epoch + 5 * 33_000_000 + 16_000_000))?.frame.frame.sequence == 5)
    #expect(ring.frame(nearest: .monotonic(.epoch + 5 * 33_000_000 + 17_000_000))?.frame.frame.sequence == 6)
    #expect(ring.frame(nearest: .wallTime(.epoch + 1_000_000_000_000 + 3 * 33_000_000))?.frame.frame.sequence == 3)
    #expect(ring.frame(nearest: .monotonic(0))?.frame.frame.sequence == 0)
  }

  /// A time is exact if it is at most half a frame period before the oldest frame or after the newest one.
  @Test func reportsWhenATimeIsOutsideTheFrames() {
    let ring = ring()
    for sequence in 10..<20 { ring.append(frame(UInt64(sequence))) }
    for (milliseconds, exact) in [(313, false), (314, true), (330, true), (500, true), (643, true), (644, false)] {
      let instant = UInt64(milliseconds) * 1_000_000
      #expect(ring.frame(nearest: .monotonic(.epoch + instant))?.exact == exact, "\(milliseconds)")
      #expect(ring.frame(nearest: .wallTime(.epoch + 1_000_000_000_000 + instant))?.exact == exact, "\(milliseconds)")
    }
    #expect(ring.frame(nearest: .wallTime(.distantFuture))?.frame.frame.sequence == 19)
  }

  /// Old frames leave the ring when they exceed its age, its number or its bytes, whichever comes first.
  @Test func framesLeaveByAgeNumberOrBytes() {
    let byAge = ring(window: 100)
    for sequence in 0..<10 { byAge.append(frame(UInt64(sequence))) }
    #expect(byAge.count == 4, "four frames span 99 ms, which fit into 100 ms")
    let byNumber = ring(frames: 3)
    for sequence in 0..<10 { byNumber.append(frame(UInt64(sequence))) }
    #expect(byNumber.count == 3)
    let byBytes = ring(bytes: 100)
    for sequence in 0..<10 { byBytes.append(frame(UInt64(sequence), bytes: 30)) }
    #expect(byBytes.count == 3)
  }

  /// Even with bounds of zero, the ring keeps the newest frame, so that a photo is always possible.
  @Test func theNewestFrameAlwaysStays() {
    let ring = ring(window: 0, frames: 1, bytes: 0)
    for sequence in 0..<3 { ring.append(frame(UInt64(sequence), bytes: 64)) }
    #expect(ring.newest?.frame.sequence == 2)
    #expect(ring.count == 1)
  }

  /// A ring without frames, new or cleared, finds no frame for any moment.
  @Test func anEmptyRingFindsNoFrame() {
    let ring = ring()
    #expect(ring.newest == nil)
    #expect(ring.frame(nearest: .monotonic(1)) == nil)
    ring.append(frame(1))
    ring.removeAll()
    #expect(ring.frame(nearest: .sequence(1, streamID: nil)) == nil)
  }
}
