import CaptureCore
import Testing

@testable import MovieRecording

/// Which times the samples of a writer may have.
struct WriterTimesTests {
  private static let second: UInt64 = 1_000_000_000
  private static let tenth = second / 10
  private var times = WriterTimes(period: tenth, tracks: ["audio"])

  private func isRefused(picture time: UInt64) -> Bool { (try? times.check(picture: time)) == nil }

  private func isRefused(sound time: UInt64) -> Bool {
    (try? times.check(sound: time, lasting: Self.tenth, of: "audio")) == nil
  }

  @Test mutating func picturesComeAtGrowingTimes() {
    #expect(!isRefused(picture: 0))
    #expect(!isRefused(picture: WriterTimes.latest))
    #expect(isRefused(picture: WriterTimes.latest + 1))
    times.note(picture: 5 * Self.second)
    #expect(isRefused(picture: 4 * Self.second))
    #expect(isRefused(picture: 5 * Self.second))
    #expect(!isRefused(picture: 5 * Self.second + 1))
    #expect(!isRefused(picture: 65 * Self.second))
    #expect(isRefused(picture: 65 * Self.second + 1))
  }

  @Test mutating func aMovieHasAtMostThirtyDays() {
    times.note(picture: 7)
    times.note(picture: WriterTimes.longestMovie)
    #expect(!isRefused(picture: WriterTimes.longestMovie + 7))
    #expect(isRefused(picture: WriterTimes.longestMovie + 8))
  }

  @Test mutating func soundBeginsWhereTheSoundBeforeEnds() {
    times.note(picture: 0)
    times.note(sound: 0, lasting: Self.tenth, of: "audio")
    #expect(isRefused(sound: Self.tenth - 2_000_000))
    #expect(!isRefused(sound: Self.tenth - 1_000_000))
    #expect(!isRefused(sound: Self.second))
  }

  @Test mutating func soundIsNotFarAheadOfThePictures() {
    #expect(!isRefused(sound: 9 * Self.second))
    times.note(sound: 9 * Self.second, lasting: Self.tenth, of: "audio")
    #expect(!isRefused(sound: 9 * Self.second + 19 * Self.tenth))
    #expect(isRefused(sound: 9 * Self.second + 19 * Self.tenth + 1))
    times.note(picture: 10 * Self.second)
    #expect(!isRefused(sound: 12 * Self.second))
    #expect(isRefused(sound: 12 * Self.second + 1))
  }

  /// Otherwise very short pieces would take more places on the way to the disk than there are.
  @Test mutating func fewPiecesWaitForTheirPictures() {
    times.note(picture: 0)
    for number in 0..<UInt64(WriterTimes.mostWaiting) {
      #expect(!isRefused(sound: Self.tenth + number))
      times.note(sound: Self.tenth + number, lasting: 1, of: "audio")
    }
    #expect(isRefused(sound: 2 * Self.tenth))
    times.note(picture: Self.tenth)
    #expect(!isRefused(sound: 2 * Self.tenth))
  }

  @Test mutating func soundFarBehindThePicturesHasBecomeSilence() {
    times.note(picture: 0)
    times.note(picture: 19 * Self.tenth)
    #expect(!isRefused(sound: 0))
    times.note(picture: 20 * Self.tenth)
    #expect(isRefused(sound: 0))
    #expect(isRefused(sound: 10 * Self.tenth))
    #expect(!isRefused(sound: 11 * Self.tenth))
    times.note(sound: 11 * Self.tenth, lasting: Self.tenth, of: "audio")
    times.note(picture: 31 * Self.tenth)
    #expect(!isRefused(sound: 12 * Self.tenth))
  }
}

/// Which pieces of sound are acknowledged.
struct SoundLedgerTests {
  @Test func piecesAreAcknowledgedByTheirEnds() {
    var ledger = SoundLedger()
    for end in [1, 2, 3] as [UInt64] { ledger.add(end * 1_000_000) }
    #expect(ledger.take(until: 500_000) == 0)
    #expect(ledger.take(until: 2_000_000) == 2)
    #expect(ledger.take(until: 3_000_000) == 1)
    #expect(ledger.take(until: 9_000_000) == 0)
  }

  /// What is not acknowledged has a bound, and no piece is acknowledged too soon.
  @Test func manyPiecesAreAcknowledgedTogether() {
    var ledger = SoundLedger()
    let most = UInt64(SoundLedger.maximumEntries)
    for end in 1...(most + 10) { ledger.add(end * 1_000_000) }
    #expect(ledger.take(until: (most + 9) * 1_000_000) == most - 1)
    #expect(ledger.take(until: (most + 10) * 1_000_000) == 11)
  }
}

/// What the heads of pictures in H.264 tell.
struct AccessUnitTests {
  private func unit(_ types: [UInt8]) -> AccessUnit {
    types.flatMap { [0, 0, 1, 0x60 | $0, 0x80, 0] as [UInt8] }.withUnsafeBytes { AccessUnit($0) }
  }

  @Test func aKeyFrameHasItsParameterSets() {
    let key = unit([7, 8, 6, 5])
    #expect(key.isKeyFrame && key.hasParameterSets && key.hasPicture)
    let other = unit([9, 1])
    #expect(other.hasPicture && !other.isKeyFrame && !other.hasParameterSets)
    #expect(!unit([7, 8]).hasPicture)
    #expect(!unit([]).hasPicture)
  }

  @Test func bytesWithoutAStartCodeAreNoUnit() {
    #expect(!([0x65, 0, 0, 2, 0x65, 0, 0] as [UInt8]).withUnsafeBytes { AccessUnit($0) }.hasPicture)
  }
}
