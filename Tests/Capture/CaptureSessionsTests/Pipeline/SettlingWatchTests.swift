import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests when the exposure counts as settled: when three frames in a row are equally bright.
@Suite struct SettlingWindowTests {
  /// The index of the first settled picture; nil when the exposure never settles.
  private func settled(_ lumas: [Double]) -> Int? {
    var window = SettlingWindow<Int>()
    for (index, luma) in lumas.enumerated() { if let found = window.add(index, luma: luma) { return found } }
    return nil
  }

  /// The first of three equally bright frames is the settled one. Two equal frames, a slow climb and a flickering light
  /// do not count.
  @Test func theFirstOfThreeEquallyBrightFramesIsSettled() {
    #expect(settled([10, 40, 80, 100, 101, 100.5]) == 3)
    #expect(settled([100, 101]) == nil, "two equally bright frames are not enough")
    #expect(settled([100, 101, 103, 104, 105, 105]) == 2, "frames that become brighter slowly are not settled")
    #expect(settled([100, 50, 100, 50, 100]) == nil)
  }

  /// Frames are equally bright when the darkest is less than 2 % darker than the brightest.
  @Test func aDifferenceOfTwoPercentIsTooLarge() {
    #expect(settled([98, 100, 100]) == nil)
    #expect(settled([98.1, 100, 100]) == 0)
  }

  @Test func blackFramesAreSettled() { #expect(settled([0, 0, 0]) == 0) }
}

/// Tests how the first settled frame of a launch is found on a thread of its own while frames keep coming.
@Suite struct SettlingWatchTests {
  private let found = Recorder<UInt64?>()

  /// Offers each frame only when the one before was measured, so that the watch leaves none out.
  private func offer(_ lumas: [Double], to watch: SettlingWatch, _ measured: Recorder<UInt64>) async throws {
    for sequence in lumas.indices {
      watch.offer(try #require(Frame.fake(sequence: UInt64(sequence), at: .epoch + UInt64(sequence))))
      try await measured.wait(count: sequence + 1)
    }
  }

  /// The watch reports the first of three equally bright frames, and measures no frame afterwards.
  @Test func findsTheFirstSettledFrame() async throws {
    let lumas = [20.0, 40, 80, 80, 80]
    let measured = Recorder<UInt64>()
    let watch = SettlingWatch { frame in
      defer { measured.append(frame.sequence) }
      return lumas[Int(frame.sequence)]
    } onEnd: { [found] in
      found.append($0?.sequence)
    }
    watch.begin()
    try await offer(lumas, to: watch, measured)
    #expect(try await found.wait(count: 1) == [2])
    watch.offer(try #require(Frame.fake(sequence: 9, at: 9)))
    #expect(measured.count == 5, "the watch measures no frame after it has ended")
  }

  /// A damaged frame between equally bright ones does not keep the exposure from settling.
  @Test("C3: damaged frames do not count") func damagedFramesAreLeftOut() async throws {
    let lumas = [80.0, -1, 80, -1, 80]
    let measured = Recorder<UInt64>()
    let watch = SettlingWatch { frame in
      defer { measured.append(frame.sequence) }
      guard lumas[Int(frame.sequence)] < 0 else { return lumas[Int(frame.sequence)] }
      frame.buffer.markDamaged()
      return nil
    } onEnd: { [found] in
      found.append($0?.sequence)
    }
    watch.begin()
    try await offer(lumas, to: watch, measured)
    #expect(try await found.wait(count: 1) == [0])
  }

  /// When the format of the frames cannot be read, the watch ends at once without a result.
  @Test func givesUpOnFramesThatItCannotMeasure() async throws {
    let watch = SettlingWatch { _ in
      nil
    } onEnd: { [found] in
      found.append($0?.sequence)
    }
    watch.begin()
    watch.offer(try #require(Frame.fake(sequence: 0, at: 0)))
    #expect(try await found.wait(count: 1) == [nil])
  }

  /// A watch that was ended, because the session stopped, reports nothing and measures no further frame; the watch of
  /// the next launch finds its own frame.
  @Test func anEndedWatchReportsNothing() async throws {
    let measured = Recorder<UInt64>()
    let watch = SettlingWatch { frame in
      measured.append(frame.sequence)
      return 50
    } onEnd: { [found] in
      found.append($0?.sequence)
    }
    watch.begin()
    watch.offer(try #require(Frame.fake(sequence: 0, at: 0)))
    try await measured.wait(count: 1)
    watch.end()
    for sequence in 1...3 { watch.offer(try #require(Frame.fake(sequence: UInt64(sequence), at: 1))) }
    // The next launch begins another watch. If the former watch were not over, it would have reported a frame by now.
    watch.begin()
    for sequence in 4...6 {
      watch.offer(try #require(Frame.fake(sequence: UInt64(sequence), at: 1)))
      try await measured.wait { $0.last == UInt64(sequence) }
    }
    #expect(try await found.wait(count: 1) == [4])
    #expect(!measured.all.contains { (1...3).contains($0) })
  }
}
