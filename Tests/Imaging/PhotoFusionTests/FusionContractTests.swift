import CaptureCore
import CaptureTestKit
import Imaging
import PhotoFusion
import Testing

/// What the fusion of frames accepts, refuses and returns.
@Suite(.computing) struct FusionContractTests {
  let pool = FramePool(budget: 256 << 20)

  /// Frames of a flat grey scene with some noise.
  func frames(_ size: Size, count: Int = 3, level: Double = 2, format: PixelFormat = .yuv420) throws -> [Picture] {
    var random = SeededGenerator(seed: 5)
    let exposure = Exposure(.flat(120), size)
    let converter = PictureConverter(pool: pool)
    return try (0..<count).map { _ in
      try converter.convert(exposure.frame(level: level, &random, pool: pool), to: format)
    }
  }

  @Test(arguments: [(1, 1), (2, 3), (7, 5), (24, 24), (33, 17), (65, 47), (97, 200), (161, 99)])
  func everySizeIsFused(_ width: Int, _ height: Int) throws {
    let size = Size(width: width, height: height)
    for format in [PixelFormat.yuv420, .yuyv, .grey] {
      let fused = try FrameFusion(pool: pool).fuse(frames(size, format: format), reference: 1, strength: .full)
      #expect(fused.picture.layout.size == size)
      let luma = fused.picture.bytes.prefix(size.pixelCount)
      #expect(luma.allSatisfy { abs(Int($0) - 120) <= 8 }, "\(format)")
    }
  }

  /// The photo has the range and the matrix of the frames, in a planar format with the same chroma resolution.
  @Test func thePhotoHasTheColoursOfTheFrames() throws {
    let size = Size(width: 64, height: 48)
    for (format, becomes) in [
      (PixelFormat.nv12, PixelFormat.yuv420), (.nv21, .yuv420), (.yuyv, .yuv422p), (.uyvy, .yuv422p), (.grey, .grey),
      (.yvu420, .yuv420), (.yuv422p, .yuv422p),
    ] {
      for (range, matrix) in [(FrameLayout.Range.limited, FrameLayout.Matrix.bt601), (.full, .bt709)] {
        let pictures = try frames(size, format: format).map { picture in
          var picture = picture
          (picture.layout.range, picture.layout.matrix) = (range, matrix)
          return picture
        }
        let fused = try FrameFusion(pool: pool).fuse(pictures, reference: 0, strength: .balanced)
        #expect(fused.picture.layout == FrameLayout.packed(becomes, size, range: range, matrix: matrix))
      }
    }
    for format in [PixelFormat.bgr32, .rgb24] {
      let fused = try FrameFusion(pool: pool).fuse(frames(size, format: format), reference: 0, strength: .balanced)
      #expect(fused.picture.layout == FrameLayout.packed(.yuv420, size, range: .full))
    }
  }

  /// Frames of a camera that gives JPEG gain too, and the photo can be compressed again.
  @Test func compressedFramesAreFused() throws {
    let burst = Burst(level: 8, pool: pool)
    let encoder = JPEGEncoder(pool: pool)
    let jpegs = try burst.frames.map { picture in
      var picture = picture
      picture.layout.range = .full
      return try encoder.encode(picture, quality: 95)
    }
    let fused = try FrameFusion(pool: pool).fuse(jpegs, reference: Burst.reference, strength: .full)
    #expect(fused.picture.layout.range == .full)
    #expect(burst.gain(of: fused.picture) >= 6)
    let again = try encoder.encode(fused.picture, quality: 90)
    #expect(again.layout.size == fused.picture.layout.size)
  }

  /// The photo is the same as without the damaged frames. Without the reference there is no photo.
  @Test func aDamagedFrameIsLeftOutUnlessItIsTheReference() throws {
    let encoder = JPEGEncoder(pool: pool)
    var jpegs = try frames(Size(width: 64, height: 48), count: 5).map { picture in
      var picture = picture
      picture.layout.range = .full
      return try encoder.encode(picture, quality: 95)
    }
    let whole = jpegs
    // A JPEG is cut off, as one of a USB camera may be.
    for index in [0, 3] {
      let bytes = jpegs[index].bytes.prefix(jpegs[index].bytes.count / 2)
      let memory = pool.take(bytes.count)!
      memory.bytes.copyBytes(from: bytes)
      jpegs[index].buffer = memory.freeze(count: bytes.count)
    }
    let fusion = FrameFusion(pool: pool)
    let fused = try fusion.fuse(jpegs, reference: 2, strength: .full)
    #expect(fused.frameCount == 3)
    let alone = try FrameFusion(pool: pool).fuse([whole[1], whole[2], whole[4]], reference: 1, strength: .full)
    #expect(fused.picture.bytes == alone.picture.bytes)
    #expect(reason { try fusion.fuse(jpegs, reference: 3, strength: .full) } == .frameDamaged)
    #expect(try fusion.fuse([jpegs[0], whole[1]], reference: 1, strength: .balanced).frameCount == 1)
  }

  @Test func invalidFramesAreRefused() throws {
    let fusion = FrameFusion(pool: pool)
    let some = try frames(Size(width: 32, height: 32))
    #expect(reason { try fusion.fuse([], reference: 0, strength: .full) } == .invalidArgument)
    #expect(reason { try fusion.fuse(some, reference: 3, strength: .full) } == .invalidArgument)
    #expect(reason { try fusion.fuse(some, reference: -1, strength: .full) } == .invalidArgument)
    let larger = try frames(Size(width: 34, height: 32), count: 1)
    #expect(reason { try fusion.fuse(some + larger, reference: 0, strength: .full) } == .invalidArgument)
    let packed = try frames(Size(width: 32, height: 32), count: 1, format: .yuyv)
    #expect(reason { try fusion.fuse(some + packed, reference: 0, strength: .full) } == .invalidArgument)
    var strange = some
    for index in strange.indices { strange[index].layout.pixelFormat = .h264 }
    #expect(reason { try fusion.fuse(strange, reference: 0, strength: .full) } == .formatNotSupported)
    var cut = some
    for index in cut.indices { cut[index].layout.planes[2].offset += 1000 }
    #expect(reason { try fusion.fuse(cut, reference: 0, strength: .full) } == .processingFailed)
    #expect(try fusion.fuse(some, reference: 0, strength: .full).frameCount == 3)
  }

  /// When there are more frames than may be merged, the fusion takes those nearest to the reference.
  @Test func theNearestFramesAreTaken() throws {
    let burst = Burst(level: 5, pool: pool)
    func photo(_ range: Range<Int>, _ reference: Int) throws -> [UInt8] {
      try FrameFusion(pool: pool)
        .fuse(Array(burst.frames[range]), reference: reference, strength: .balanced).picture.bytes
    }
    #expect(try photo(0..<8, 4) == photo(3..<6, 1))
    #expect(try photo(0..<8, 0) == photo(0..<3, 0))
    #expect(try photo(0..<8, 7) == photo(5..<8, 2))
  }

  /// Photos in a row share frames. What the fusion keeps of one photo does not change the next photo.
  @Test func whatIsKeptOfAPhotoDoesNotChangeTheNext() throws {
    let burst = Burst(level: 5, pool: pool)
    let fusion = FrameFusion(pool: pool)
    for (range, reference) in [(0..<6, 3), (2..<8, 2), (1..<4, 1)] {
      let frames = Array(burst.frames[range])
      let kept = try fusion.fuse(frames, reference: reference, strength: .full)
      let fresh = try FrameFusion(pool: pool).fuse(frames, reference: reference, strength: .full)
      #expect(kept.picture.bytes == fresh.picture.bytes)
    }
  }

  /// The fusion may stop at each call of `shouldStop`, and the same object makes the same photo afterwards.
  @Test func theFusionStopsWheneverItIsTold() throws {
    let burst = Burst(level: 5, pool: pool)
    let fusion = FrameFusion(pool: pool)
    var asked = 0
    let whole = try fusion.fuse(burst.frames, reference: 4, strength: .full) {
      asked += 1
      return false
    }
    #expect(asked >= 16, "at least twice for each frame")
    for limit in 0..<asked {
      if limit % 5 == 0 { fusion.releaseMemory() }
      var left = limit
      let outcome = reason {
        try fusion.fuse(burst.frames, reference: 4, strength: .full) {
          left -= 1
          return left < 0
        }
      }
      // The fusion keeps what it prepared before, so later rounds call `shouldStop` less often.
      #expect(outcome == .operationInterrupted || outcome == nil && limit >= asked - 8)
    }
    let again = try fusion.fuse(burst.frames, reference: 4, strength: .full)
    #expect(again.picture.bytes == whole.picture.bytes)
  }

  /// When the pool lends less than a photo needs, that photo fails. The next photo succeeds once the pool lends enough,
  /// and the fusion keeps no memory after it was told to release all.
  @Test func anExhaustedPoolFailsOnlyThePhoto() throws {
    let burst = Burst(level: 5, pool: pool)
    let small = FramePool(budget: 0)
    let fusion = FrameFusion(pool: small)
    var (failures, budget) = (0, 0)
    while true {
      small.setBounds(budget: budget, kept: 0)
      let outcome = reason { try fusion.fuse(burst.frames, reference: 4, strength: .full) }
      if outcome == nil { break }
      try #require(outcome == .outOfBuffers)
      failures += 1
      budget += 100 << 10
    }
    #expect(failures > 4)
    fusion.releaseMemory()
    small.setBounds(budget: 0, kept: 0)
    #expect(small.usage.allocated == 0)
  }
}
