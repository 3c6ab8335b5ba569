import CaptureCore
import CaptureTestKit
import Imaging
import Testing

@testable import FrameComposition

/// Composed pictures, beside pictures that a slow and plain program composes.
@Suite(.computing) struct FrameCompositorTests {
  static let formats: [PixelFormat] = [.nv12, .yuyv, .yuv420, .grey]

  /// A random layout of random pictures, mostly of odd and tiny sizes.
  @Test(arguments: 0..<150)
  func randomLayoutsLookAsComputed(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func side(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    let size = Size(width: side(1...90), height: side(1...70))
    var expected = PlainComposition(size)
    var layers: [CompositionLayer] = []
    var sources: [(SmoothPicture, PixelFormat)] = []
    for _ in 0..<side(1...5) {
      let (width, height) = (side(1...size.width), side(1...size.height))
      let isWhole = side(0...3) == 0
      let rectangle =
        isWhole
        ? CompositionLayer.Rectangle(x: 0, y: 0, size: size)
        : CompositionLayer.Rectangle(
          x: side(0...size.width - width), y: side(0...size.height - height),
          size: Size(width: width, height: height))
      layers.append(
        CompositionLayer(
          input: "a", rectangle: rectangle, order: side(-2...2), isMirrored: side(0...1) == 1,
          cornerRadius: side(0...1) == 0 ? 0 : side(1...60)))
      let other = Size(width: side(8...120), height: side(8...90))
      let source = SmoothPicture(side(0...2) == 0 ? rectangle.aligned(in: size).size : other, &random)
      sources.append((source, Self.formats.randomElement(using: &random)!))
    }
    let order = layers.indices.sorted { (layers[$0].order, $0) < (layers[$1].order, $1) }
    for index in order { expected.draw(sources[index].0, isGrey: sources[index].1 == .grey, layers[index]) }
    let compositor = FrameCompositor(.packed(.nv12, size)!, pool: FramePool(budget: 1 << 20, memory: .marked))
    let pictures = sources.map { $0.0.picture($0.1, padding: side(0...9)) }
    let picture = try compositor.compose(layers, pictures)
    let tolerance = 4 + 1.5 * sources.map(\.0.slope).max()!
    #expect(expected.difference(to: picture) <= tolerance, "\(size) \(layers) \(sources.map { ($0.0.size, $0.1) })")
    #expect(picture.buffer.isMarkedBehind, "bytes behind the picture changed")
    let again = try compositor.compose(layers, pictures)
    #expect(Self.bytes(again) == Self.bytes(picture), "the masks or the kept pixels changed")
  }

  private static func bytes(_ picture: Picture) -> [UInt8] { picture.buffer.withUnsafeBytes { Array($0) } }

  /// A picture in NV12 of one luma and chroma.
  private func plain(_ luma: UInt8, _ chroma: UInt8 = 128, _ size: Size = Size(width: 32, height: 18)) -> Picture {
    let layout = FrameLayout.packed(.nv12, size)!
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount { memory.bytes[index] = index < size.pixelCount ? luma : chroma }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  private func layer(
    _ x: Int, _ y: Int, _ width: Int, _ height: Int, order: Int = 0, radius: Int = 0
  ) -> CompositionLayer {
    CompositionLayer(
      input: "a", rectangle: .init(x: x, y: y, size: Size(width: width, height: height)), order: order,
      cornerRadius: radius)
  }

  private func luma(_ picture: Picture, _ x: Int, _ y: Int) -> UInt8 {
    picture.buffer.withUnsafeBytes { $0[y * picture.layout.planes[0].stride + x] }
  }

  @Test func orderDecidesAndTheListBreaksTies() throws {
    let compositor = FrameCompositor(.packed(.nv12, Size(width: 64, height: 36))!, pool: pool)
    let pictures = [plain(50), plain(100), plain(150)]
    func seen(_ orders: [Int]) throws -> UInt8 {
      luma(try compositor.compose(orders.map { layer(0, 0, 64, 36, order: $0) }, pictures), 30, 20)
    }
    #expect(try seen([0, 0, 0]) == 150)
    #expect(try seen([3, 2, 1]) == 50)
    #expect(try seen([0, 7, -7]) == 100)
  }

  /// What no layer covers is black in the range of the result.
  @Test func theRestIsBlack() throws {
    for (range, black) in [(FrameLayout.Range.limited, UInt8(16)), (.full, 0)] {
      let compositor = FrameCompositor(.packed(.nv12, Size(width: 64, height: 36), range: range)!, pool: pool)
      let picture = try compositor.compose([layer(0, 0, 64, 20), layer(0, 20, 64, 16)], [plain(126), nil])
      #expect(picture.layout.range == range)
      #expect(luma(picture, 5, 30) == black && abs(Int(luma(picture, 5, 5)) - (range == .full ? 128 : 126)) <= 1)
    }
  }

  /// A layer with round corners shows what is below them, also at the edges of the picture.
  @Test func roundCornersShowTheLayerBelow() throws {
    let compositor = FrameCompositor(.packed(.nv12, Size(width: 64, height: 36))!, pool: pool)
    let picture = try compositor.compose(
      [layer(0, 0, 64, 36), layer(0, 0, 64, 36, radius: 9999)], [plain(50), plain(200)])
    #expect(luma(picture, 0, 0) == 50 && luma(picture, 63, 0) == 50)
    #expect(luma(picture, 0, 35) == 50 && luma(picture, 63, 35) == 50)
    #expect(luma(picture, 0, 17) >= 190 && luma(picture, 63, 18) >= 190 && luma(picture, 32, 0) == 200)
  }

  /// A layer that an upper one hides is not even looked at.
  @Test func hiddenLayersCostNothing() throws {
    let compositor = FrameCompositor(.packed(.nv12, Size(width: 64, height: 36))!, pool: pool)
    let damaged = plain(1)
    let broken = Picture(layout: .packed(.nv12, Size(width: 4096, height: 4096))!, buffer: damaged.buffer)
    let picture = try compositor.compose([layer(4, 4, 8, 8), layer(2, 2, 20, 20, order: 1)], [broken, plain(99)])
    #expect(luma(picture, 6, 6) == 99)
    // Round corners hide nothing completely.
    do throws(FrameCompositor.Failure) {
      _ = try compositor.compose([layer(4, 4, 8, 8), layer(2, 2, 20, 20, order: 1, radius: 1)], [broken, plain(99)])
      Issue.record("a picture without its bytes was composed")
    } catch { #expect(error.layer == 0 && error.error.reason == .processingFailed) }
  }

  @Test func aPoolWithoutMemoryIsAFailureOfNoLayer() {
    let compositor = FrameCompositor(.packed(.nv12, Size(width: 64, height: 36))!, pool: FramePool(budget: 0))
    do throws(FrameCompositor.Failure) {
      _ = try compositor.compose([layer(0, 0, 64, 36)], [plain(1)])
      Issue.record("a picture was composed without memory")
    } catch { #expect(error.layer == nil && error.error.reason == .outOfBuffers) }
  }
}

extension FrameMemory {
  /// Memory whose bytes all have the value 77.
  fileprivate static let marked = FrameMemory(
    allocate: { count in
      let base = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 4096)
      _ = base.initializeMemory(as: UInt8.self, repeating: 77, count: count)
      return Slab(base: base, capacity: count)
    }, free: { UnsafeMutableRawPointer(bitPattern: $0.base)!.deallocate() })
}

extension FrameBuffer {
  /// Whether the bytes of the slab behind those of the picture are as they were.
  fileprivate var isMarkedBehind: Bool {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: slab.base)! + count, count: slab.capacity - count)
      .allSatisfy { $0 == 77 }
  }
}
