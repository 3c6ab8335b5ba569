import CaptureCore
import Imaging
import Testing

@testable import PhotoCapture

/// Making a picture of several frames when memory is short or a frame is damaged.
@Suite struct PhotoProcessingTests {
  /// The memory is enough for eight frames, for three, or for none.
  @Test("J9: when memory is short, fewer frames are merged", arguments: [(64 << 20, 8), (2 << 20, 3), (256 << 10, 1)])
  func shortMemoryMergesFewerFrames(budget: Int, merged: Int) throws {
    let frames = try frames(8)
    let processor = PhotoProcessing.fusion.makeProcessor(FramePool(budget: budget))
    let (picture, frameCount) = try processor.process(frames, 4, .quality) { false }
    #expect(frameCount == merged)
    #expect((picture.buffer === frames[4].buffer) == (merged == 1))
  }

  /// The memory is enough for three exposures or for none.
  @Test("H5: when memory is short, one exposure becomes the picture", arguments: [(64 << 20, 3), (256 << 10, 1)])
  func shortMemoryTakesOneExposure(budget: Int, merged: Int) throws {
    let frames = try frames(3)
    let processor = PhotoProcessing.fusion.makeProcessor(FramePool(budget: budget))
    let (picture, frameCount) = try processor.mergeExposures(frames, 1) { false }
    #expect(frameCount == merged)
    #expect((picture.buffer === frames[1].buffer) == (merged == 1))
    #expect(throws: CaptureError.self, "only a lack of memory leads to a single exposure") {
      try processor.mergeExposures(frames, 1) { true }
    }
  }

  @Test("H5: a damaged exposure is left out of the picture") func damagedExposuresAreLeftOut() throws {
    let pool = FramePool(budget: 64 << 20)
    let encoder = JPEGEncoder(pool: pool)
    var frames = try frames(3).map { try encoder.encode($0, quality: 90) }
    for (index, merged) in [(2, 2), (0, 1)] {
      let memory = pool.take(400)!
      frames[index].buffer.withUnsafeBytes { memory.bytes.copyBytes(from: $0.prefix(400)) }
      frames[index].buffer = memory.freeze(count: 400)
      let processor = PhotoProcessing.fusion.makeProcessor(pool)
      let (picture, frameCount) = try processor.mergeExposures(frames, 1) { false }
      #expect(frameCount == merged)
      #expect((picture.buffer === frames[1].buffer) == (merged == 1))
    }
  }

  private func frames(_ count: Int) throws -> [Picture] {
    let layout = try #require(FrameLayout.packed(.yuv420, Size(width: 320, height: 240)))
    let pool = FramePool(budget: 64 << 20)
    return (0..<count).map { _ in
      let memory = pool.take(layout.byteCount)!
      _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: 100)
      return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    }
  }
}
