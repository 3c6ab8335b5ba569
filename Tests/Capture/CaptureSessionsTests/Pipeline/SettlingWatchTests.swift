import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

@Suite struct SettlingWindowTests {
  /// The index of the settled picture.
  private func settled(_ lumas: [Double]) -> Int? {
    var window = SettlingWindow<Int>()
    for (index, luma) in lumas.enumerated() { if let found = window.add(index, luma: luma) { return found } }
    return nil
  }

  @Test func theFirstOfThreeEquallyBrightFrames() {
    #expect(settled([10, 40, 80, 100, 101, 100.5]) == 3)
    #expect(settled([100, 101]) == nil, "two are not enough")
    #expect(settled([100, 101, 103, 104, 105, 105]) == 2, "a slow climb is no rest")
    #expect(settled([100, 50, 100, 50, 100]) == nil)
  }

  @Test func twoInAHundredIsTooMuch() {
    #expect(settled([98, 100, 100]) == nil)
    #expect(settled([98.1, 100, 100]) == 0)
  }

  @Test func darknessSettlesToo() { #expect(settled([0, 0, 0]) == 0) }
}

@Suite struct SettlingWatchTests {
  private let found = Recorder<UInt64?>()

  /// Offers each frame when the one before was measured, so that none is left out.
  private func offer(_ lumas: [Double], to watch: SettlingWatch, _ measured: Recorder<UInt64>) async throws {
    for sequence in lumas.indices {
      watch.offer(try #require(Frame.fake(sequence: UInt64(sequence), at: .epoch + UInt64(sequence))))
      try await measured.wait(count: sequence + 1)
    }
  }

  @Test func findsTheFrame() async throws {
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
    #expect(measured.count == 5, "nobody looks any more")
  }

  @Test("C3") func damagedFramesAreLeftOut() async throws {
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

  @Test func givesUpOnWhatItCannotRead() async throws {
    let watch = SettlingWatch { _ in
      nil
    } onEnd: { [found] in
      found.append($0?.sequence)
    }
    watch.begin()
    watch.offer(try #require(Frame.fake(sequence: 0, at: 0)))
    #expect(try await found.wait(count: 1) == [nil])
  }

  @Test func endedItTellsNothing() async throws {
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
    // The next launch is watched anew; the former one would have told by now.
    watch.begin()
    for sequence in 4...6 {
      watch.offer(try #require(Frame.fake(sequence: UInt64(sequence), at: 1)))
      try await measured.wait { $0.last == UInt64(sequence) }
    }
    #expect(try await found.wait(count: 1) == [4])
    #expect(!measured.all.contains { (1...3).contains($0) })
  }
}
