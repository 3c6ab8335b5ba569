import CaptureCore
import CaptureTestKit
import Testing

@testable import FrameDelivery

/// Readers that ask for a lower rate than the camera's 25 frames a second.
@Suite(.timeLimit(.minutes(2))) struct PreviewRateTests {
  static func rate(_ frames: UInt32) -> PreviewRequest {
    PreviewRequest(encoding: .nv12, maxFrameRate: Rational(frames, 1))
  }

  /// A frame that the reader's rate leaves out counts as omitted and not as dropped.
  @Test func aReaderGetsItsRateAndTheCountOfOmittedFrames() async throws {
    let stage = try await PreviewStage()
    let slow = try stage.output.attach(Self.rate(5))
    let fast = try stage.output.attach(PreviewRequest(encoding: .nv12))
    var seen: [(UInt64, DropCounts, UInt64)] = []
    for sequence in UInt64(1)...12 {
      stage.capture(sequence)
      #expect(try await fast.nextPicture().omitted == 0)
      guard sequence % 5 == 1 else { continue }
      let picture = try await slow.nextPicture()
      seen.append((picture.sequence, picture.dropped, picture.omitted))
    }
    #expect(seen.map(\.0) == [1, 6, 11] && seen.map(\.2) == [0, 4, 4])
    #expect(seen.allSatisfy { $0.1 == DropCounts() })
    let intervals = stage.output.counts?.cadence.interval.counts.reduce(0, +)
    #expect(intervals == 11, "the slow reader asked for its intervals")
  }

  /// When the reader also misses frames that were due, these count as late, apart from the omitted frames.
  @Test func lateAndOmittedFramesAreCountedApart() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(Self.rate(5))
    stage.capture(1)
    #expect(try await reader.nextPicture().sequence == 1)
    // Frames 6, 11 and 16 are due. The reader reads only after frame 18.
    for sequence in UInt64(2)...18 {
      stage.capture(sequence, missing: DropCounts(discontinuity: sequence == 9 ? 2 : 0))
    }
    let picture = try await reader.nextPicture()
    #expect(picture.sequence == 16 && picture.dropped == DropCounts(late: 2, discontinuity: 2) && picture.omitted == 12)
  }

  /// A rate that a new reader asks for after the former reader has left begins with a new count of omitted frames, in
  /// the same stream and in the next.
  @Test(arguments: [false, true]) func aRateThatIsAskedForAgainBeginsANewCount(_ startsOver: Bool) async throws {
    let stage = try await PreviewStage()
    let former = try stage.output.attach(Self.rate(5))
    for sequence in UInt64(1)...10 { stage.capture(sequence) }
    former.detach()
    // The new reader comes before the next frame. The count of the former reader must not be taken for the count of
    // this one.
    let reader = try stage.output.attach(Self.rate(5))
    stage.capture(11, streamID: startsOver ? 2 : 1)
    var picture = try await reader.nextPicture()
    while picture.sequence < 11 { picture = try await reader.nextPicture() }
    #expect(picture.sequence == 11 && picture.omitted == 0)
  }

  /// A frame that no reader of an encoding wants is not encoded.
  @Test func onlyWantedFramesAreEncoded() async throws {
    let stage = try await PreviewStage()
    let readers = try (0..<2).map { _ in try stage.output.attach(PreviewRequest(maxFrameRate: Rational(5, 1))) }
    for sequence in UInt64(1)...11 {
      stage.capture(sequence)
      guard sequence % 5 == 1 else { continue }
      for reader in readers { #expect(try await reader.nextPicture().sequence == sequence) }
    }
    #expect(stage.encoder.begun.all.map(\.value) == [1, 6, 11])

    // A reader that wants all frames shares the encoding.
    let all = try stage.output.attach(PreviewRequest())
    for sequence in UInt64(12)...16 {
      stage.capture(sequence)
      while try await all.nextPicture().sequence < sequence {}
    }
    #expect(stage.encoder.begun.all.map(\.value) == [1, 6, 11, 12, 13, 14, 15, 16])
    let picture = try await readers[0].nextPicture()
    #expect(picture.sequence == 16 && picture.omitted == 4 && picture.dropped == DropCounts())
  }

  /// A new reader gets a first frame at once, also when its rate leaves that frame out.
  @Test func theFirstFrameIsSentAtOnceWhateverTheRate() async throws {
    let stage = try await PreviewStage()
    let first = try stage.output.attach(Self.rate(5))
    stage.capture(1)
    stage.capture(2)
    #expect(try await first.nextPicture().sequence == 1)
    let second = try stage.output.attach(Self.rate(5))
    let encoded = try stage.output.attach(PreviewRequest(maxFrameRate: Rational(5, 1)))
    #expect(try await second.nextPicture().sequence == 2)
    #expect(try await encoded.nextPicture().sequence == 2)
    for sequence in UInt64(3)...6 { stage.capture(sequence) }
    for reader in [second, encoded] {
      let picture = try await reader.nextPicture()
      #expect(picture.sequence == 6 && picture.omitted == 3 && picture.dropped == DropCounts())
    }
  }

  /// Each reader gets the frames of its own rate, although all readers have different rates.
  @Test func eachRateHasFramesOfItsOwn() async throws {
    let stage = try await PreviewStage()
    let readers = try (1...PreviewOutput.maxReaders).map { nth in
      try stage.output.attach(PreviewRequest(encoding: .nv12, maxFrameRate: Rational(25, UInt32(nth))))
    }
    for sequence in UInt64(1)...30 { stage.capture(sequence) }
    for (reader, nth) in zip(readers, UInt64(1)...) {
      // The reader gets every n-th frame, and the newest of these frames waits.
      #expect(try await reader.nextPicture().sequence == 1 + nth * (29 / nth))
    }
  }

  @Test func aRateWithAZeroIsRefused() async throws {
    let stage = try await PreviewStage()
    for rate in [Rational(0, 1), Rational(1, 0)] {
      let error = #expect(throws: CaptureError.self) { try stage.output.attach(PreviewRequest(maxFrameRate: rate)) }
      #expect(error?.field == "max_frame_rate")
    }
  }
}
