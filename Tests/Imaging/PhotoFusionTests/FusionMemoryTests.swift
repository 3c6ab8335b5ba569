import CaptureCore
import CaptureTestKit
import Imaging
import PhotoFusion
import Testing

/// How much memory the fusion of frames takes from its pool.
@Suite(.computing) struct FusionMemoryTests {
  let pool = FramePool(budget: 256 << 20)

  /// What the fusion keeps of one photo must not make the next photo fail: memory that is enough for a photo alone is
  /// enough for it after another photo.
  @Test(arguments: [(0..<4, 2..<6), (0..<4, 4..<7), (0..<3, 1..<7), (0..<5, 3..<8)])
  func photosInARowNeedNoMoreMemoryThanEachAlone(_ first: Range<Int>, _ second: Range<Int>) throws {
    let frames = Burst(size: Size(width: 96, height: 80), level: 5, pool: pool).frames
    let small = FramePool(budget: 0)
    func outcome(_ fusion: FrameFusion, _ range: Range<Int>) -> CaptureError.Reason? {
      reason { try fusion.fuse(Array(frames[range]), reference: 1, strength: .full) }
    }
    var (fits, fails) = (0, [Int]())
    for budget in stride(from: 64 << 10, through: 800 << 10, by: 8 << 10) {
      small.setBounds(budget: budget, kept: 0)
      let fresh = FrameFusion(pool: small)
      guard outcome(fresh, first) == nil else { continue }
      fresh.releaseMemory()
      guard outcome(fresh, second) == nil else { continue }
      fresh.releaseMemory()
      let fusion = FrameFusion(pool: small)
      if outcome(fusion, first) == nil, outcome(fusion, second) == nil { fits += 1 } else { fails.append(budget) }
    }
    #expect(fails.isEmpty && fits > 10)
  }

  /// All memory in which the fusion works comes from the pool and is counted, so the pool's budget bounds what a photo
  /// takes: 2.3 bytes a pixel for each frame, more for the frames' borders, and 3 bytes a pixel for merging.
  @Test func allMemoryComesFromThePool() throws {
    let size = Size(width: 640, height: 480)
    let frames = Burst(size: size, level: 5, pool: pool).frames
    let working = FramePool(budget: 64 << 20)
    let fusion = FrameFusion(pool: working)
    let fused = try fusion.fuse(frames, reference: 4, strength: .full)
    #expect(working.usage.allocated >= size.pixelCount * (8 * 9 / 4 + 3) + fused.picture.buffer.count)
    #expect(working.usage.allocated <= 26 * size.pixelCount * 5 / 4, "as PhotoFeatures.maxProcessing reckons")
    fusion.releaseMemory()
    working.reclaim()
    #expect(working.usage.allocated == 4096 * ((fused.picture.buffer.count + 4095) / 4096), "only the photo's memory")
  }

  /// Sizes whose product overflows are refused like all other impossible sizes.
  @Test func impossibleSizesAreRefused() throws {
    var random = SeededGenerator(seed: 5)
    let frame = Exposure(.flat(120), Size(width: 32, height: 32)).frame(level: 2, &random, pool: pool)
    for (width, height) in [(Int.max, 1), (1 << 32, 1 << 32), (Int.max, Int.max), (0, 0), (-1, 5), (Int.min, Int.min)] {
      for format in [PixelFormat.yuv420, .mjpeg, .grey] {
        var strange = frame
        strange.layout.size = Size(width: width, height: height)
        strange.layout.pixelFormat = format
        let fusion = FrameFusion(pool: pool)
        #expect(reason { try fusion.fuse([strange], reference: 0, strength: .full) } == .processingFailed)
      }
    }
  }
}
