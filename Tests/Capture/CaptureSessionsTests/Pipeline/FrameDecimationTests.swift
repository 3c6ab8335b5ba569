import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests which frames outputs get when they want fewer than the camera delivers. Uneven distances between frames would
/// make a preview look jerky.
@Suite struct FrameDecimationTests {
  /// The indices of the frames that the decimation keeps.
  ///
  /// - Parameters:
  ///   - rate: the frames per second that outputs want.
  ///   - deviceRate: the frames per second that the camera really delivers.
  ///   - count: how many frames the camera delivers.
  ///   - said: the frames per second that the driver confirmed.
  ///   - jitter: by how much the time stamp of a frame is late, in microseconds, by the frame's index.
  private func kept(
    _ rate: Rational, of deviceRate: Double, count: Int = 300, said: Rational = Rational(30, 1),
    jitter: (Int) -> Int = { _ in 0 }
  ) -> [Int] {
    var decimation = FrameDecimation(streamID: 1, rate: rate, deviceRate: said)
    return (0..<count).filter { index in
      let instant = 5_000_000_000 + Int(Double(index) * 1e9 / deviceRate) + jitter(index) * 1000
      return decimation.keeps(.epoch + UInt64(instant))
    }
  }

  /// A rate that divides the camera's rate keeps every second, third and so on frame, without exception.
  @Test(arguments: [(15, 2), (10, 3), (5, 6), (1, 30)] as [(UInt32, Int)])
  func wholeFractionsOfTheRateAreEvenlySpaced(rate: UInt32, every: Int) {
    #expect(kept(Rational(rate, 1), of: 30) == Array(stride(from: 0, to: 300, by: every)))
  }

  /// A rate at or above the camera's rate keeps every frame, also when the frames come unevenly.
  @Test func theRateOfTheDeviceOrMoreKeepsEveryFrame() {
    for rate in [Rational(30, 1), Rational(31, 1), Rational(1000, 1)] {
      #expect(kept(rate, of: 30, jitter: { $0 % 3 * 4000 - 4000 }).count == 300)
    }
  }

  /// A rate that does not divide the camera's rate is met on average, and the distances between kept frames differ by
  /// one frame at most.
  @Test(arguments: [Rational(20, 1), Rational(25, 1), Rational(24_000, 1001), Rational(7, 1), Rational(1, 2)])
  func otherRatesAreMetOnAverageAndNeverExceeded(rate: Rational) {
    let kept = kept(rate, of: 30, count: 30 * 60)
    #expect(abs(Double(kept.count) - rate.value * 60) <= 1)
    let gaps = Set(zip(kept, kept.dropFirst()).map { $1 - $0 })
    #expect(gaps.max()! - gaps.min()! <= 1, "the distances differ by at most one frame: \(gaps)")
  }

  /// Time stamps that are early or late by 12 ms do not make the decimation leave out or repeat a frame.
  @Test func jitterDoesNotCostFrames() {
    // The time stamps are up to 12 ms early or late, at 33 ms per frame.
    let jittered = kept(Rational(15, 1), of: 30, jitter: { [0, 12_000, -12_000, 7000, -3000][$0 % 5] })
    #expect(jittered == Array(stride(from: 0, to: 300, by: 2)))
  }

  /// A camera that delivers more frames than the driver confirmed still gives outputs only the rate that they want,
  /// because the decimation uses time stamps and does not count frames.
  @Test func aDeviceFasterThanItsConfirmedRateDoesNotExceedTheRate() {
    // Every second frame would be 15.15 per second, 909 frames in this minute.
    #expect(kept(Rational(15, 1), of: 30.3, count: 1818).count <= 901)
  }

  /// After a pause of eight seconds, outputs get their usual rate and not the frames that were missed.
  @Test func aPauseIsNotMadeUpForWithExtraFrames() {
    var decimation = FrameDecimation(streamID: 1, rate: Rational(10, 1), deviceRate: Rational(30, 1))
    let first = decimation.keeps(1_000_000_000)
    #expect(first)
    let after = (0..<30).filter { decimation.keeps(.epoch + 9_000_000_000 + UInt64($0) * 33_333_333) }
    #expect(after.count == 10)
  }

  /// When the driver does not tell its rate, the decimation still keeps as many frames as outputs want.
  @Test func anUnknownDeviceRateIsAccepted() {
    #expect(kept(Rational(10, 1), of: 30, said: Rational(0, 0)).count == 100)
  }
}

/// Tests how the fan-out gives outputs and previews fewer frames while the ring gets all of them.
@Suite struct DecimatedFanOutTests {
  private let output = FakeOutput(id: "preview")
  private let frames = FrameFanOut(
    ring: FrameRing(limits: .init(windowNanoseconds: .max, maximumFrames: 100, maximumBytes: .max))
  ) { _, _ in }

  init() { frames.configure(outputs: [output], input: "camera", revision: 1) }

  /// Publishes frames of these sequence numbers, 33 ms apart.
  ///
  /// - Parameter missing: the dropped frames that a frame reports, by its sequence number.
  private func publish(
    _ range: ClosedRange<UInt64>, stream: UInt64 = 1, missing: (UInt64) -> DropCounts = { _ in .init() }
  ) {
    for sequence in range {
      frames.publish(
        Frame.fake(
          sequence: sequence, streamID: stream, at: .epoch + sequence * 33_333_333, missing: missing(sequence))!)
    }
  }

  /// Limits outputs to `rate` frames per second of a stream of 30.
  private func decimate(_ rate: UInt32, stream: UInt64 = 1) {
    frames.setRates(
      streamID: stream, deviceRate: Rational(30, 1), rate: Rational(rate, 1), previewRate: nil)
  }

  /// The sequence numbers that the output received.
  private var sequences: [UInt64] { output.frames.all.map(\.frame.sequence) }

  /// After a limit was set, outputs get every third frame and the ring still gets every frame, so that photos keep the
  /// whole past.
  @Test func outputsGetFewerAndTheRingGetsAll() {
    publish(0...2)
    decimate(10)
    publish(3...11)
    #expect(sequences == [0, 1, 2, 3, 6, 9])
    #expect(frames.ring.count == 12)
  }

  /// A composed frame may be of the former revision, when it was begun before a commit.
  @Test func aComposedFrameHasARevisionOfItsOwn() {
    frames.configure(outputs: [output], input: "both", revision: 3)
    let tap = PipelineSink(frames: frames, onStall: { _ in }, onEnd: { _ in })
    tap.receive(Frame.fake(sequence: 0, at: 1_000_000_000)!, ofRevision: 2)
    tap.receive(Frame.fake(sequence: 1, at: 2_000_000_000)!)
    #expect(output.frames.all.map(\.configRevision) == [2, 3])
  }

  /// An output that another camera is going to have gets no further frame of this one, and the others go on.
  @Test func anOutputThatLeavesGetsNoFrame() {
    let movie = FakeOutput(id: "movie")
    frames.configure(outputs: [output], movies: [movie], input: "camera", revision: 1)
    publish(0...1)
    frames.leave(except: [ObjectIdentifier(movie)])
    publish(2...3)
    #expect(sequences == [0, 1])
    #expect(movie.frames.count == 4)
  }

  @Test func moviesGetEveryFrame() {
    let movie = FakeOutput(id: "movie")
    frames.configure(outputs: [output], movies: [movie], input: "camera", revision: 1)
    decimate(10)
    publish(0...5) { DropCounts(discontinuity: $0 == 2 ? 4 : 0) }
    #expect(sequences == [0, 3])
    #expect(movie.frames.all.map(\.frame.sequence) == [0, 1, 2, 3, 4, 5])
    #expect(movie.frames.all.map(\.frame.missing.discontinuity) == [0, 0, 4, 0, 0, 0])
  }

  /// Frames that the limit leaves out do not count as dropped. Dropped frames that a left-out frame reported are
  /// reported by the next frame that the output gets. The frames in the ring stay as the driver reported them.
  @Test func droppedFramesAreReportedAndLeftOutFramesAreNot() {
    decimate(10)
    publish(0...3) { DropCounts(discontinuity: $0 == 2 ? 4 : 0) }
    let counts = output.frames.all.map(\.frame.missing)
    #expect(counts == [DropCounts(), DropCounts(discontinuity: 4)])
    #expect(
      frames.ring.newest?.frame.missing == DropCounts(), "the newest frame in the ring reports no dropped frames itself"
    )
  }

  /// A composed frame that reports the losses of others still says what its layers show.
  @Test func aFrameThatReportsLossesKeepsItsLayers() {
    decimate(10)
    for sequence in 0...3 as ClosedRange<UInt64> {
      let frame = Frame.fake(sequence: sequence, at: .epoch + sequence * 33_333_333)!
      frames.publish(
        Frame(
          streamID: 1, sequence: sequence, time: frame.time, layout: frame.layout, buffer: frame.buffer,
          missing: DropCounts(discontinuity: sequence == 2 ? 4 : 0),
          layers: [ComposedLayer(input: "camera", frame: frame, isStale: false)]))
    }
    #expect(output.frames.all.map(\.frame.missing.discontinuity) == [0, 4])
    #expect(output.frames.all.map { $0.frame.layers.first?.source?.sequence } == [0, 3])
  }

  /// A lower rate for previews keeps only frames that the other outputs get as well, because a program may answer the
  /// frames that a preview shows. Each output gets the dropped frames reported once.
  @Test func previewsGetASubsetOfTheFramesOfOtherOutputs() {
    let preview = FakeOutput(id: "wall")
    frames.configure(outputs: [output], previews: [preview], input: "camera", revision: 1)
    frames.setRates(
      streamID: 1, deviceRate: Rational(30, 1), rate: Rational(15, 1), previewRate: Rational(10, 1))
    publish(0...6) { DropCounts(discontinuity: $0 == 1 ? 2 : 0) }
    #expect(sequences == [0, 2, 4, 6])
    #expect(preview.frames.all.map(\.frame.sequence) == [0, 4, 6])
    #expect(output.frames.all.map(\.frame.missing.discontinuity) == [0, 2, 0, 0])
    #expect(preview.frames.all.map(\.frame.missing.discontinuity) == [0, 2, 0])
  }

  /// A limit does not apply to the next stream, and setting no rate ends it at once.
  @Test func theLimitEndsWithItsStreamOrOnRequest() {
    decimate(10)
    publish(0...3)
    publish(100...103, stream: 2)
    #expect(sequences == [0, 3, 100, 101, 102, 103])
    decimate(10, stream: 2)
    publish(104...106, stream: 2)
    frames.setRates(streamID: 2, deviceRate: Rational(30, 1), rate: nil, previewRate: nil)
    publish(107...108, stream: 2)
    #expect(sequences.suffix(3) == [104, 107, 108])
  }
}
