import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

/// Tests the colour bars, whose known values let other tests judge what happens to colours.
@Suite(.computing) struct BarsSceneTests {
  /// In NV12 and YUYV, binned and not, every bar has its colour in its first and last column, at the top and the bottom
  /// of the scene.
  @Test(
    arguments: [PixelFormat.nv12, .yuyv],
    [(Size(width: 640, height: 360), false), (Size(width: 480, height: 270), true)])
  func barsHaveTheirColoursUpToTheirEdges(format: PixelFormat, mode: (size: Size, isBinned: Bool)) {
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

/// Tests the scene that never changes, and the picture without noise with which tests compare captured pictures.
@Suite(.computing) struct StillSceneTests {
  /// `StillScene.truth` has the bytes of a picture without noise, except that the lines of the timecode board are black
  /// and neutral.
  @Test(
    arguments: [PixelFormat.nv12, .yuyv],
    [(Size(width: 640, height: 360), false), (Size(width: 960, height: 540), true)])
  func truthEqualsThePictureBelowTheBoard(format: PixelFormat, mode: (size: Size, isBinned: Bool)) throws {
    let truth = try #require(StillScene.truth(pixelFormat: format, size: mode.size, isBinned: mode.isBinned))
    let picture = Rendered(.init(scene: .still, noise: 0), format, mode.size, isBinned: mode.isBinned)
    #expect(truth.count == picture.bytes.count)
    let board = TimecodeBoard.bottom(height: mode.size.height) * picture.frame.layout.planes[0].stride
    #expect(truth[board...] == picture.bytes[board...])
    #expect(truth[..<board].allSatisfy { $0 == 16 || $0 == 128 })
  }

  /// The noise has mean 0: the mean of 64 frames is the picture without noise. A test of merging frames can therefore
  /// compare its result with the truth.
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
    // The mean of 64 frames has an eighth of the deviation of one frame: at most 0.5 code values, because the noise has
    // a deviation of 3 to 4. A sample practically never differs by more than six such deviations.
    let errors = (30 * 320..<180 * 320).map { abs(Double(sums[$0]) / 64 - Double(truth[$0])) }
    #expect(errors.max()! < 3.5)
    #expect(errors.reduce(0, +) / Double(errors.count) < 0.5)
  }

  /// The scene is the same at another sequence number and another instant, and has enough edges to show a loss of
  /// detail.
  @Test func theSceneHasDetailAndNeverChanges() {
    let layout = FrameLayout.packed(.nv12, Size(width: 640, height: 360))!
    let renderer = FrameRenderer(configuration: .init(scene: .still, noise: 0), layout: layout, isBinned: false)
    let first = Rendered(renderer, layout, sequence: 0)
    let later = Rendered(renderer, layout, sequence: 100, time: Rendered.instant + 3_333_333_333)
    #expect(first.scene() == later.scene())
    let steps = (0..<639).count { abs(Int(first.luma($0, 200)) - Int(first.luma($0 + 1, 200))) > 20 }
    #expect(steps > 40, "a line across the middle crosses many edges")
  }

  /// A pixel format that the scene is not drawn in has no truth; the result is nil.
  @Test func otherFormatsHaveNoTruth() {
    #expect(StillScene.truth(pixelFormat: .mjpeg, size: Size(width: 640, height: 360)) == nil)
  }
}

/// Tests the scene of running lights and falling dominoes, from which a person can read the time.
@Suite(.computing) struct LightboardSceneTests {
  private let layout = FrameLayout.packed(.nv12, Size(width: 640, height: 360))!

  private func renderer() -> FrameRenderer {
    FrameRenderer(configuration: .init(scene: .lightboard, noise: 0), layout: layout, isBinned: false)
  }

  /// The scene draws only what changed since the last picture. After 89 other pictures, the picture of an instant is
  /// nevertheless the same as from a renderer that was never used.
  @Test func aPictureDoesNotDependOnEarlierPictures() {
    let running = renderer()
    var last: Rendered?
    for sequence in 0..<90 {
      let wall = Rendered.instant + UInt64(sequence) * 66_666_667
      last = Rendered(running, layout, sequence: UInt64(sequence), time: wall)
    }
    let alone = Rendered(renderer(), layout, sequence: 89, time: Rendered.instant + 89 * 66_666_667)
    #expect(last?.bytes == alone.bytes)
  }

  /// The first row of lights moves one step per frame, so that a viewer sees a frame that was left out, and repeats
  /// after 32 frames.
  @Test func theFirstRowMovesWithEveryFrame() {
    let renderer = renderer()
    let pictures = (0..<3).map { Rendered(renderer, layout, sequence: UInt64($0)) }
    #expect(pictures[0].scene() != pictures[1].scene())
    #expect(pictures[1].scene() != pictures[2].scene())
    #expect(
      pictures[0].scene() == Rendered(renderer, layout, sequence: 32).scene(),
      "after 32 frames, the light is where it was")
  }

  /// The dominoes fall one after the other and stand up together every six seconds of the wall clock.
  @Test func dominoesFallAndStandUp() {
    let renderer = renderer()
    // A cycle begins whenever the wall clock is at a multiple of six seconds.
    func dominoes(_ milliseconds: UInt64) -> [UInt8] {
      let wall = WallInstant(nanoseconds: (6000 * 200_000_000 + milliseconds) * 1_000_000)
      return Rendered(renderer, layout, sequence: 0, time: wall).scene(from: 210)
    }
    let standing = dominoes(0)
    #expect(dominoes(700) != standing)
    #expect(dominoes(1400) != dominoes(700))
    #expect(dominoes(4500) == dominoes(5900), "all dominoes have fallen")
    #expect(dominoes(6000) == standing)
  }
}
