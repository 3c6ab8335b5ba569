import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

@Suite(.computing) struct BarsSceneTests {
  @Test(
    arguments: [PixelFormat.nv12, .yuyv],
    [(Size(width: 640, height: 360), false), (Size(width: 480, height: 270), true)])
  func eightBarsOfKnownValues(format: PixelFormat, mode: (size: Size, isBinned: Bool)) {
    let picture = Rendered(.init(scene: .bars, noise: 0), format, mode.size, isBinned: mode.isBinned)
    for (index, color) in BarsScene.colors.enumerated() {
      let columns = [index * mode.size.width / 8, (index + 1) * mode.size.width / 8 - 1]
      for x in columns {
        for y in [TimecodeBoard.bottom(height: mode.size.height) + 1, mode.size.height - 1] {
          #expect(picture.color(x, y) == color)
        }
      }
    }
  }
}

@Suite(.computing) struct StillSceneTests {
  @Test(
    arguments: [PixelFormat.nv12, .yuyv],
    [(Size(width: 640, height: 360), false), (Size(width: 960, height: 540), true)])
  func truthIsThePictureWithoutNoiseAndBoard(format: PixelFormat, mode: (size: Size, isBinned: Bool)) throws {
    let truth = try #require(StillScene.truth(pixelFormat: format, size: mode.size, isBinned: mode.isBinned))
    let picture = Rendered(.init(scene: .still, noise: 0), format, mode.size, isBinned: mode.isBinned)
    #expect(truth.count == picture.bytes.count)
    let board = TimecodeBoard.bottom(height: mode.size.height) * picture.frame.layout.planes[0].stride
    #expect(truth[board...] == picture.bytes[board...])
    #expect(truth[..<board].allSatisfy { $0 == 16 || $0 == 128 })
  }

  @Test func theMeanOfManyFramesIsTheTruth() throws {
    let size = Size(width: 320, height: 180)
    let truth = try #require(StillScene.truth(pixelFormat: .nv12, size: size))
    let layout = FrameLayout.packed(.nv12, size)!
    let renderer = FrameRenderer(configuration: .init(scene: .still, noise: 3), layout: layout, isBinned: false)
    var sums = [Int](repeating: 0, count: truth.count)
    for sequence in 0..<64 {
      for (index, value) in Rendered(renderer, layout, sequence: UInt64(sequence)).bytes.enumerated() {
        sums[index] += Int(value)
      }
    }
    // A deviation of 3 … 4 is down to a half after 64 frames; six of those are practically never exceeded.
    let errors = (30 * 320..<180 * 320).map { abs(Double(sums[$0]) / 64 - Double(truth[$0])) }
    #expect(errors.max()! < 3.5)
    #expect(errors.reduce(0, +) / Double(errors.count) < 0.5)
  }

  @Test func hasDetailAndStandsStill() {
    let layout = FrameLayout.packed(.nv12, Size(width: 640, height: 360))!
    let renderer = FrameRenderer(configuration: .init(scene: .still, noise: 0), layout: layout, isBinned: false)
    let first = Rendered(renderer, layout, sequence: 0)
    let later = Rendered(renderer, layout, sequence: 100, time: Rendered.instant + 3_333_333_333)
    #expect(first.scene() == later.scene())
    let steps = (0..<639).count { abs(Int(first.luma($0, 200)) - Int(first.luma($0 + 1, 200))) > 20 }
    #expect(steps > 40, "a line across the middle crosses many edges")
  }

  @Test func otherFormatsHaveNoTruth() {
    #expect(StillScene.truth(pixelFormat: .mjpeg, size: Size(width: 640, height: 360)) == nil)
  }
}

@Suite(.computing) struct LightboardSceneTests {
  private let layout = FrameLayout.packed(.nv12, Size(width: 640, height: 360))!

  private func renderer() -> FrameRenderer {
    FrameRenderer(configuration: .init(scene: .lightboard, noise: 0), layout: layout, isBinned: false)
  }

  @Test func aPictureDependsOnItsOwnInstantOnly() {
    let running = renderer()
    var last: Rendered?
    for sequence in 0..<90 {
      let wall = Rendered.instant + UInt64(sequence) * 66_666_667
      last = Rendered(running, layout, sequence: UInt64(sequence), time: wall)
    }
    let alone = Rendered(renderer(), layout, sequence: 89, time: Rendered.instant + 89 * 66_666_667)
    #expect(last?.bytes == alone.bytes)
  }

  @Test func theFirstRowMovesWithEveryFrame() {
    let renderer = renderer()
    let pictures = (0..<3).map { Rendered(renderer, layout, sequence: UInt64($0)) }
    #expect(pictures[0].scene() != pictures[1].scene())
    #expect(pictures[1].scene() != pictures[2].scene())
    #expect(pictures[0].scene() == Rendered(renderer, layout, sequence: 32).scene(), "one round of 32 lights")
  }

  @Test func dominoesFallAndStandUp() {
    let renderer = renderer()
    // A cycle of six seconds begins at every multiple of six on the wall clock.
    func dominoes(_ milliseconds: UInt64) -> [UInt8] {
      let wall = WallInstant(nanoseconds: (6000 * 200_000_000 + milliseconds) * 1_000_000)
      return Rendered(renderer, layout, sequence: 0, time: wall).scene(from: 210)
    }
    let standing = dominoes(0)
    #expect(dominoes(700) != standing)
    #expect(dominoes(1400) != dominoes(700))
    #expect(dominoes(4500) == dominoes(5900), "all lie")
    #expect(dominoes(6000) == standing)
  }
}
