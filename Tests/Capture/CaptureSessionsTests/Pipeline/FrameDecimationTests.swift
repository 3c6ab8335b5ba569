import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

@Suite struct FrameDecimationTests {
  /// The numbers of the frames kept, of `count` at `deviceRate`, each late by what `jitter` says, in microseconds.
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

  @Test(arguments: [(15, 2), (10, 3), (5, 6), (1, 30)] as [(UInt32, Int)])
  func wholeFractionsAreEven(rate: UInt32, every: Int) {
    #expect(kept(Rational(rate, 1), of: 30) == Array(stride(from: 0, to: 300, by: every)))
  }

  @Test func theRateOfTheDeviceOrMoreKeepsEveryFrame() {
    for rate in [Rational(30, 1), Rational(31, 1), Rational(1000, 1)] {
      #expect(kept(rate, of: 30, jitter: { $0 % 3 * 4000 - 4000 }).count == 300)
    }
  }

  @Test(arguments: [Rational(20, 1), Rational(25, 1), Rational(24_000, 1001), Rational(7, 1), Rational(1, 2)])
  func otherRatesAreMetOnAverageAndNeverExceeded(rate: Rational) {
    let kept = kept(rate, of: 30, count: 30 * 60)
    #expect(abs(Double(kept.count) - rate.value * 60) <= 1)
    let gaps = Set(zip(kept, kept.dropFirst()).map { $1 - $0 })
    #expect(gaps.max()! - gaps.min()! <= 1, "as even as whole frames allow: \(gaps)")
  }

  @Test func jitterDoesNotCostFrames() {
    // 12 ms either way, at 33 ms a frame.
    let jittered = kept(Rational(15, 1), of: 30, jitter: { [0, 12_000, -12_000, 7000, -3000][$0 % 5] })
    #expect(jittered == Array(stride(from: 0, to: 300, by: 2)))
  }

  @Test func aDeviceFasterThanItSaysDoesNotDriftAway() {
    // A count of every second frame would give 15.15 a second, 909 in this minute.
    #expect(kept(Rational(15, 1), of: 30.3, count: 1818).count <= 901)
  }

  @Test func aPauseIsNotMadeUpFor() {
    var decimation = FrameDecimation(streamID: 1, rate: Rational(10, 1), deviceRate: Rational(30, 1))
    let first = decimation.keeps(1_000_000_000)
    #expect(first)
    let after = (0..<30).filter { decimation.keeps(.epoch + 9_000_000_000 + UInt64($0) * 33_333_333) }
    #expect(after.count == 10)
  }

  @Test func anUnknownDeviceRateWillDo() {
    #expect(kept(Rational(10, 1), of: 30, said: Rational(0, 0)).count == 100)
  }
}

@Suite struct DecimatedFanOutTests {
  private let output = FakeOutput(id: "preview")
  private let frames = FrameFanOut(
    ring: FrameRing(limits: .init(windowNanoseconds: .max, maximumFrames: 100, maximumBytes: .max))
  ) { _, _ in }

  init() { frames.configure(outputs: [output], input: "camera", revision: 1) }

  private func publish(
    _ range: ClosedRange<UInt64>, stream: UInt64 = 1, missing: (UInt64) -> DropCounts = { _ in .init() }
  ) {
    for sequence in range {
      frames.publish(
        Frame.fake(
          sequence: sequence, streamID: stream, at: .epoch + sequence * 33_333_333, missing: missing(sequence))!)
    }
  }

  private func decimate(_ rate: UInt32, stream: UInt64 = 1) {
    frames.setRates(
      streamID: stream, deviceRate: Rational(30, 1), rate: Rational(rate, 1), previewRate: nil)
  }

  private var sequences: [UInt64] { output.frames.all.map(\.frame.sequence) }

  @Test func outputsGetFewerAndTheRingGetsAll() {
    publish(0...2)
    decimate(10)
    publish(3...11)
    #expect(sequences == [0, 1, 2, 3, 6, 9])
    #expect(frames.ring.count == 12)
  }

  @Test func whatWasLeftOutIsNotLostButWhatWasLostIsCounted() {
    decimate(10)
    publish(0...3) { DropCounts(discontinuity: $0 == 2 ? 4 : 0) }
    let counts = output.frames.all.map(\.frame.missing)
    #expect(counts == [DropCounts(), DropCounts(discontinuity: 4)])
    #expect(frames.ring.newest?.frame.missing == DropCounts(), "the ring has frames as the driver gave them")
  }

  @Test func previewsMayGetSomeOfWhatOthersGet() {
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

  @Test func itEndsWithItsStreamOrWhenTold() {
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
