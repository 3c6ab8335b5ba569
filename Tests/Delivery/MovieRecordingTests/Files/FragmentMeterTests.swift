import CaptureCore
import CaptureTestKit
import Imaging
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Where fragments end, so that the memory that one takes is bounded.
struct FragmentMeterTests {
  @Test func aFragmentEndsAtTheFirstKeyFrameAfterItsInterval() {
    var meter = FragmentMeter(every: 100, maximumBytes: 1000)
    func ends(at time: UInt64, isKeyFrame: Bool = true) -> Bool {
      meter.add(1, at: time, lasting: 10, isKeyFrame: isKeyFrame)
    }
    #expect(!ends(at: 7), "the first sample begins a fragment and ends none")
    #expect(!ends(at: 101))
    #expect(!ends(at: 110, isKeyFrame: false))
    #expect(ends(at: 120))
    // The time stamps of a steady rate vary a little.
    #expect(ends(at: 215))
    #expect(!meter.needsKeyFrame)
  }

  /// Sound takes memory like pictures do.
  @Test func soundCountsInAFragment() {
    var meter = FragmentMeter(every: 60_000, maximumBytes: 1000)
    func ends(at time: UInt64) -> Bool { meter.add(100, at: time, lasting: 10, isKeyFrame: true) }
    meter.add(sound: 5000)
    #expect(!ends(at: 0), "the first sample begins a fragment and ends none")
    meter.add(sound: 799)
    #expect(!ends(at: 10))
    meter.add(sound: 1)
    #expect(ends(at: 20))
  }

  @Test func aFullFragmentEndsEarlyAndDemandsOneKeyFrame() {
    var meter = FragmentMeter(every: 60_000, maximumBytes: 1000)
    func ends(at time: UInt64, isKeyFrame: Bool = false) -> Bool {
      meter.add(400, at: time, lasting: 10, isKeyFrame: isKeyFrame)
    }
    #expect(!ends(at: 0, isKeyFrame: true))
    #expect(!ends(at: 10, isKeyFrame: true))
    #expect(!meter.needsKeyFrame)
    #expect(!ends(at: 20))
    #expect(meter.needsKeyFrame)
    meter.demandedKeyFrame()
    // The encoder still returns samples of earlier frames.
    #expect(!ends(at: 30))
    #expect(!meter.needsKeyFrame)
    #expect(ends(at: 40, isKeyFrame: true))
    #expect(!ends(at: 50))
    #expect(!meter.needsKeyFrame, "the next fragment has 800 bytes")
    #expect(!ends(at: 60))
    #expect(meter.needsKeyFrame)
  }
}

/// Where the coder of a recording with long fragments makes key frames.
@Suite(.computing, .enabled(if: MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct KeyFrameDistanceTests {
  private static let period: UInt64 = 40_000_000

  private let pool = FramePool(budget: 256 << 20)

  /// Codes 5 s of pictures with fragments of 60 s.
  private func samples(maximumFragment: Int = FragmentMeter.maximumBytes) throws -> [MovieSample] {
    let boards = BoardPictures(pool: pool)
    func picture(_ number: Int) throws -> Picture { try boards.picture(number, at: UInt64(number) * Self.period) }
    var settings = RecordingSettings(fragmentInterval: 60_000_000_000)
    settings.pictures.allowsHardware = false
    let coder = try FrameCoder(
      picture(0), settings, frameRate: Rational(25, 1), period: Self.period, pool: pool,
      maximumFragment: maximumFragment)
    var samples: [MovieSample] = []
    for number in 0..<125 { samples += try coder.encode(picture(number), at: UInt64(number) * Self.period) }
    return try samples + coder.finish()
  }

  @Test func keyFramesAreTwoSecondsApart() throws {
    let keys = try samples().filter(\.isKeyFrame).map { $0.presentationTime / Self.period }
    #expect(keys == [0, 50, 100])
  }

  /// The encoder holds back some samples, so a fragment gets more than its bound, but not all until the next regular
  /// key frame.
  @Test func aFullFragmentGetsAKeyFrame() throws {
    let coded = try samples(maximumFragment: 1000)
    let keys = coded.filter(\.isKeyFrame).map { $0.presentationTime / Self.period }
    #expect(keys.count > 3)
    var meter = FragmentMeter(every: 60_000_000_000, maximumBytes: 1000)
    let ends = coded.filter {
      meter.add($0.bytes.count, at: $0.presentationTime, lasting: $0.duration, isKeyFrame: $0.isKeyFrame)
    }
    #expect(ends.count == keys.count - 1, "each key frame ends a full fragment")
  }
}
