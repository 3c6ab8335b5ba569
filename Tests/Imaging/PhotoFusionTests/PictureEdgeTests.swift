import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import PhotoFusion
import Testing

/// Beyond the edge of a picture, the samples at the edge are repeated. When a scene has moved out of another frame, the
/// search "finds" the scene there, as far away as the search reaches, wherever the reference looks like the repeated
/// edge.
@Suite(.computing) struct PictureEdgeTests {
  enum Edge: CaseIterable, Sendable { case top, bottom, left, right }

  let frames = FramePool(budget: 64 << 20)
  /// The picture is large enough for four levels of a pyramid, with which the search reaches beyond the border. The
  /// outer squares of the last tile begin where the picture ends, and the lines of chroma do not fill their stride.
  /// Samples that are read in these places count, although they belong to no picture.
  static let size = Size(width: 424, height: 424)

  /// Stripes across the edge, as deep as the scene moves, and behind the stripes something to align.
  static func scene(_ edge: Edge) -> LightField {
    LightField { x, y in
      let (depth, along) =
        switch edge {
        case .top: (y, x)
        case .bottom: (Double(size.height - 1) - y, x)
        case .left: (x, y)
        case .right: (Double(size.width - 1) - x, y)
        }
      let stripes = 60 * sin(along * 0.07) + 30 * sin(along * 0.031 + 1)
      guard depth >= 76 else { return (125 + stripes, 128, 128) }
      return (125 + 55 * sin(along * 0.05 + depth * 0.06) + 50 * cos(depth * (0.03 + depth * 0.0002)), 128, 128)
    }
  }

  /// Three frames of a scene that moves out of the picture by 64 samples. The middle frame is the reference.
  func burst(_ edge: Edge) -> [Picture] {
    var random = SeededGenerator(seed: 4)
    let (dx, dy) =
      switch edge {
      case .top: (0.0, 64.0)
      case .bottom: (0, -64)
      case .left: (64, 0)
      case .right: (-64, 0)
      }
    let still = Exposure(Self.scene(edge), Self.size)
    let moved = Exposure(Self.scene(edge).shifted(dx, dy), Self.size)
    return [moved, still, moved].map { $0.frame(level: 1, &random, pool: frames) }
  }

  /// The memory around each frame cannot be accessed, so reading beside a frame ends the process. Nor may the former
  /// content of the memory show: pools use memory again and again, and other pictures' samples lie between the lines.
  /// The test therefore makes the same photo in memory with two different contents.
  @Test(arguments: Edge.allCases)
  func aFalseMatchBeyondTheEdgeStaysWithinTheFrame(_ edge: Edge) throws {
    let burst = burst(edge)
    let converter = PictureConverter(pool: frames)
    for format in [PixelFormat.grey, .yuv420, .yuv422p] {
      let pictures = try burst.map { try converter.convert($0, to: format) }
      let photos = try [UInt8(128), 255].map { value in
        let pool = FramePool(budget: 64 << 20, memory: .lonely(filledWith: value))
        return try FrameFusion(pool: pool).fuse(pictures, reference: 1, strength: .full).picture.bytes
      }
      let differing = zip(photos[0], photos[1]).count { $0 != $1 }
      #expect(differing == 0, "\(format)")
    }
  }
}

extension FrameMemory {
  /// Memory with 64 KiB of inaccessible addresses before and behind it, so that every access outside is caught, with or
  /// without a sanitizer.
  fileprivate static func lonely(filledWith value: UInt8) -> FrameMemory {
    let gap = 64 << 10
    return FrameMemory(
      allocate: { capacity in
        let all = mmap(nil, capacity + 2 * gap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let all, all != MAP_FAILED else { return nil }
        let base = all + gap
        guard mprotect(base, capacity, PROT_READ | PROT_WRITE) == 0 else { return nil }
        memset(base, Int32(value), capacity)
        return Slab(base: base, capacity: capacity)
      },
      free: { slab in munmap(UnsafeMutableRawPointer(bitPattern: slab.base - UInt(gap)), slab.capacity + 2 * gap) })
  }
}
