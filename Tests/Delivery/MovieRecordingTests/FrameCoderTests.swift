import CaptureCore
import CaptureTestKit
import Imaging
import MovieTestKit
import Testing
import VideoCoding

@testable import MovieRecording

/// Which frames become key frames.
@Suite(.computing, .enabled(if: MovieCodec.h264.isAvailable))
struct FrameCoderTests {
  /// A recording may begin with the frame that had to be a key frame, so the next one takes its place.
  @Test func theFrameAfterADamagedOneIsTheKeyFrame() throws {
    let pool = FramePool(budget: 64 << 20)
    let encoder = JPEGEncoder(pool: pool)
    let pictures = try (0..<5).map { number in
      try encoder.encode(try BoardPictures(pool: pool).picture(number, at: UInt64(number)), quality: 90)
    }
    let coder = try FrameCoder(
      pictures[0], RecordingSettings(), frameRate: Rational(25, 1), period: 40_000_000, pool: pool
    )
    var samples: [MovieSample] = []
    for (number, picture) in pictures.enumerated() where number != 2 {
      let time = UInt64(number) * 40_000_000
      if number == 3 {
        let damaged = Picture(layout: picture.layout, buffer: pool.take(1000)!.freeze(count: 1000))
        #expect(throws: CaptureError.self) {
          try coder.encode(damaged, at: time - 40_000_000, forcesKeyFrame: true)
        }
      }
      samples += try coder.encode(picture, at: time)
    }
    samples += try coder.finish()
    #expect(samples.map(\.isKeyFrame) == [true, false, true, false])
  }
}
