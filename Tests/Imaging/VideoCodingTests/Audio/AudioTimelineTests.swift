import CaptureCore
import SystemClocks
import Testing

@testable import VideoCoding

/// Which sound belongs to a movie, and where it lies in it. The samples count their own place, so that each shows when
/// it was captured.
struct AudioTimelineTests {
  private static let format = AudioFormat(sampleRate: 1000, channelCount: 1)
  private static let millisecond: UInt64 = 1_000_000
  private static let period: UInt64 = 40 * millisecond

  private static func instant(_ milliseconds: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: UInt64(milliseconds) * millisecond)
  }

  /// A block of sound from one millisecond to another; each sample is its own millisecond.
  private static func block(_ milliseconds: Range<Int>) -> AudioBlock {
    AudioBlock(format: format, time: instant(milliseconds.lowerBound), samples: milliseconds.map { Float($0) })
  }

  private var timeline = AudioTimeline(track: 3, format: Self.format)
  /// What the movie has: the millisecond of capture by the millisecond of the movie.
  private var heard: [Int: Float] = [:]
  /// Where pieces without samples lie, in milliseconds of the movie.
  private var ends: [Int] = []

  private mutating func hear(_ pieces: [AudioPiece]) {
    for piece in pieces {
      if piece.samples.isEmpty { ends.append(Int(piece.time / Self.millisecond)) }
      #expect(piece.track == 3)
      for (index, sample) in piece.samples.enumerated() {
        let time = Int(piece.time / Self.millisecond) + index
        #expect(heard[time] == nil, "\(time) was given twice")
        heard[time] = sample
      }
    }
  }

  private mutating func frame(_ milliseconds: Int, at time: Int, continues: Bool = true) {
    hear(
      timeline.place(
        Self.instant(milliseconds), at: UInt64(time) * Self.millisecond, period: Self.period, continues: continues))
  }

  private mutating func sound(_ milliseconds: Range<Int>) { hear(timeline.add(Self.block(milliseconds))) }

  /// Frames that are seconds apart keep their sound: after the first such distance, sound waits for the next frame.
  @Test mutating func framesThatAreSecondsApartHaveTheirSound() {
    frame(0, at: 0, continues: false)
    frame(5000, at: 5000)
    for start in stride(from: 5000, to: 10_000, by: 100) { sound(start..<start + 100) }
    frame(10_000, at: 10_000)
    #expect((5000..<10_000).allSatisfy { heard[$0] == Float($0) })
  }

  /// Sound before the first frame is left out, to the sample, and the rest waits for the frame of its time.
  @Test mutating func soundBeginsWithTheFirstFrame() {
    sound(5000..<5020)
    sound(5020..<5040)
    #expect(heard.isEmpty)
    frame(5013, at: 0, continues: false)
    #expect(heard.count == 27 && heard[0] == 5013 && heard[26] == 5039)
    sound(5040..<5060)
    #expect(heard.count == 40, "what is after the end of the frame waits")
    frame(5053, at: 40)
    #expect(heard.count == 47 && heard[46] == 5059)
  }

  /// Sound that comes after the frames of its time finds its place.
  @Test mutating func soundMayBeLate() {
    for index in 0..<5 { frame(1000 + 40 * index, at: 40 * index, continues: index > 0) }
    sound(990..<1010)
    sound(1010..<1250)
    #expect(heard.count == 200)
    #expect(heard.allSatisfy { $0.value == Float(1000 + $0.key) })
  }

  /// A pause takes its sound out, and the sound after it follows at once. It does not matter whether the sound before
  /// the pause comes before or after the frame that ends the pause.
  @Test(arguments: [true, false]) mutating func aPauseHasNoSound(_ comesLate: Bool) {
    frame(1000, at: 0, continues: false)
    if !comesLate { sound(990..<1100) }
    frame(1700, at: 40, continues: false)
    if comesLate { sound(990..<1100) }
    sound(1100..<1690)
    sound(1690..<1800)
    #expect(heard.count == 80)
    for (time, value) in heard { #expect(value == Float(time < 40 ? 1000 + time : 1700 + time - 40)) }
  }

  /// A microphone that gives nothing leaves silence, which stays a second behind the pictures: the track's coder puts
  /// it before a piece without samples. Sound that then comes goes on from its own time.
  @Test mutating func silenceForWhatDoesNotCome() {
    for index in 0...60 { frame(1000 + 40 * index, at: 40 * index, continues: index > 0) }
    #expect(heard.isEmpty && ends == [1040])
    sound(3000..<3100)
    #expect(heard[2000] == 3000 && heard[2099] == 3099)
  }

  /// Where a movie or a segment ends, the track ends with the pictures, also when the microphone went a moment ago.
  @Test mutating func theEndIsSilentWhereNothingComes() {
    for index in 0..<20 { frame(1000 + 40 * index, at: 40 * index, continues: index > 0) }
    sound(1000..<1100)
    hear(timeline.end())
    #expect(heard.count == 100 && ends == [800])
    hear(timeline.end())
    #expect(ends == [800])
    // The next segment goes on from there.
    sound(1780..<1900)
    for index in 20..<25 { frame(1000 + 40 * index, at: 40 * index) }
    #expect(heard[800] == 1800 && heard[899] == 1899)
  }

  /// Sound that is on its way is not lost.
  @Test mutating func soundThatIsALittleLateIsNoSilence() {
    for index in 0..<20 { frame(1000 + 40 * index, at: 40 * index, continues: index > 0) }
    sound(1000..<1560)
    hear(timeline.end())
    #expect(ends.isEmpty)
    sound(1560..<1800)
    #expect(heard[799] == 1799)
  }

  /// A movie that ends in a pause ends with its pictures, too.
  @Test mutating func theEndAfterAPauseIsThatOfTheNewestSection() {
    frame(1000, at: 0, continues: false)
    for index in 0..<20 { frame(9000 + 40 * index, at: 40 + 40 * index, continues: index > 0) }
    hear(timeline.end())
    #expect(ends == [840])
  }

  /// Without frames, what is old is forgotten, so that memory is bounded.
  @Test mutating func soundDoesNotWaitForever() {
    for second in 0..<20 { sound(1000 * second..<1000 * (second + 1)) }
    frame(15_000, at: 0, continues: false)
    for index in 1...120 { frame(15_000 + 40 * index, at: 40 * index) }
    #expect(heard[0] == nil && heard.values.allSatisfy { $0 == 0 || $0 >= 17_000 })
    #expect(heard[4_000] == 19_000)
  }

  /// Sound that was kept for a pre-roll waits for its frames, however old it is.
  @Test mutating func pastSoundWaitsForItsFrames() {
    for second in 0..<20 {
      hear(timeline.add(Self.block(1000 * second..<1000 * (second + 1)), isPast: true))
    }
    for index in 0..<400 { frame(2000 + 40 * index, at: 40 * index, continues: index > 0) }
    #expect(heard.count == 16_000 && ends.isEmpty)
    #expect(heard.allSatisfy { $0.value == Float(2000 + $0.key) })
  }

  /// Sound of another form than that of the track has its place too, and says which form it has.
  @Test mutating func anotherFormHasItsPlace() {
    let other = AudioFormat(sampleRate: 2000, channelCount: 2)
    frame(1000, at: 0, continues: false)
    let block = AudioBlock(format: other, time: Self.instant(990), samples: (0..<80).map { Float($0) })
    let pieces = timeline.add(block)
    #expect(pieces.map(\.format) == [other] && pieces.map(\.time) == [0])
    #expect(pieces.map { Array($0.samples) } == [(40..<80).map { Float($0) }])
    sound(1010..<1020)
    #expect(heard[10] == 1010)
  }

  /// Many pauses while the microphone gives nothing do not add up.
  @Test mutating func sectionsAreBounded() {
    for index in 0..<1000 { frame(1000 + 100 * index, at: 40 * index, continues: false) }
    heard = [:]
    sound(1000..<101_000)
    #expect(heard.count == 40 * AudioTimeline.maximumSections)
  }
}
