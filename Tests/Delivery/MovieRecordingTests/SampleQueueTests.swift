import CaptureCore
import Imaging
import MovieTestKit
import Testing

@testable import MovieRecording
@testable import VideoCoding

/// How many samples may wait for the disk. All of them are the same megabyte.
@Suite(.enabled(if: MovieCodec.h264.isAvailable))
struct SampleQueueTests {
  private let queue = SampleQueue()
  private let sample: MovieSample
  private let track: MovieTrack

  init() throws {
    let pool = FramePool(budget: 4 << 20)
    let picture = try JPEGEncoder(pool: pool).encode(try BoardPictures(pool: pool).picture(0, at: 0), quality: 50)
    track = try MovieTrack(of: picture)
    sample = MovieSample(
      bytes: pool.take(1 << 20)!.freeze(count: 1 << 20), presentationTime: 0, duration: 1, isKeyFrame: true)
  }

  private func put(_ count: Int) { for _ in 0..<count { queue.put(sample, of: track, nil) } }
  private func take(_ count: Int) { for _ in 0..<count { _ = queue.take() } }

  @Test func aDiskThatStandsStillFillsTheQueue() {
    put(31)
    #expect(!queue.isFull)
    put(1)
    #expect(queue.isFull)
    take(1)
    #expect(!queue.isFull)
  }

  /// The new samples wait behind the pre-roll, for however long it is being written.
  @Test func aLargePreRollLeavesRoomForNewSamples() {
    for _ in 0..<100 { queue.putPast(sample, of: track) }
    for _ in 0..<90 {
      put(1)
      take(1)
      #expect(!queue.isFull)
    }
    put(32)
    #expect(queue.isFull)
  }

  /// A megabyte of sound.
  private func put(soundFrom origin: AudioOrigin) {
    let samples = ArraySlice(repeating: Float(0), count: 1 << 18)
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    queue.put(AudioPiece(track: 0, time: 0, format: format, samples: samples, silentCount: 0, origin: origin))
  }

  /// A writer takes sound only while there is room, so none that it took is left out, and all of it counts.
  @Test func soundOfAWriterFillsTheQueueAndStays() {
    for _ in 0..<31 { put(soundFrom: .writer) }
    #expect(!queue.isFull)
    put(soundFrom: .writer)
    #expect(queue.isFull)
    put(soundFrom: .microphone)
    put(soundFrom: .writer)
    take(1)
    #expect(queue.isFull)
    take(1)
    #expect(!queue.isFull)
  }

  /// What the disk has made up for does not allow the queue to become as large again.
  @Test func theBoundComesBackWithTheWritingOfThePreRoll() {
    for _ in 0..<100 { queue.putPast(sample, of: track) }
    take(100)
    put(31)
    #expect(!queue.isFull)
    put(1)
    #expect(queue.isFull)
  }
}
