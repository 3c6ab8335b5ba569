import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import PhotoFusion
import Testing

/// What is beyond a picture's edge repeats it. A scene that moved out of the other frame is "found" there, as far away as the
/// search reaches, wherever the reference looks like the repeated edge.
@Suite(.computing) struct PictureEdgeTests {
  enum Edge: CaseIterable, Sendable { case top, bottom, left, right }

  let frames = FramePool(budget: 64 << 20)
  /// Large enough for four levels of a pyramid, with which the search reaches beyond the border. The last tile's outer
  /// squares begin where the picture ends, and chroma's lines do not fill their stride: what is read there counts and is
  /// nobody's.
  static let size = Size(width: 424, height: 424)

  /// Stripes across the edge, as deep as the scene moves, and behind them something to align.
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

  /// Three frames, the middle one of which is the reference, of a scene that moves out by 64 samples.
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

  /// The frames' memory is surrounded by none: reading beside it ends the process. What it held before differs, and must
  /// not show either: memory is used again and again, and what lies between the lines is of other pictures.
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
  /// Memory with nothing before and behind it for 64 KiB, so that whoever leaves it is caught, with or without a sanitizer.
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
