import CaptureCore
import CaptureTestKit
import Imaging
import Testing

/// Pictures that are written into a rectangle of an NV12 picture.
@Suite(.computing) struct PictureWriterTests {
  let pool = FramePool(budget: 64 << 20)

  /// Writes `picture` into a rectangle in the middle of a larger picture, which is filled with 77, and cuts the
  /// rectangle out again. Nothing around the rectangle may change.
  private func written(
    _ picture: Picture, _ size: Size, isMirrored: Bool = false, range: FrameLayout.Range = .limited,
    matrix: FrameLayout.Matrix = .bt601
  ) throws -> Picture {
    let whole = Size(width: size.width + 9, height: size.height + 7)
    let layout = FrameLayout.packed(.nv12, whole, range: range, matrix: matrix)!
    let memory = pool.take(layout.byteCount)!
    _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: 77)
    let part = layout.part(Crop(x: 4, y: 2, size: size))
    try PictureWriter().write(
      picture, isMirrored: isMirrored, into: part, memory.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self))
    let result = Picture(layout: part, buffer: memory.freeze(count: layout.byteCount))
    var untouched = result.bytes
    for (plane, width) in zip(part.planes, [size.width, (size.width + 1) / 2 * 2]) {
      for row in 0..<plane.rows {
        let first = plane.offset + row * plane.stride
        untouched.replaceSubrange(first..<first + width, with: repeatElement(77, count: width))
      }
    }
    #expect(untouched.allSatisfy { $0 == 77 }, "bytes around the rectangle changed")
    return result
  }

  /// Every format keeps its colours in every range and matrix, with and without mirroring.
  @Test(arguments: PixelFormat.uncompressed)
  func everyFormatKeepsItsColours(_ from: PixelFormat) throws {
    let colors: [(FrameLayout.Range, FrameLayout.Matrix)] = [
      (.limited, .bt601), (.full, .bt601), (.limited, .bt709), (.full, .bt709),
    ]
    for size in [Size(width: 256, height: 8), Size(width: 243, height: 7)] {
      // The luma of a grey picture is another one in another matrix, so the bars give nothing to compare it with.
      for source in from == .grey ? Array(colors.prefix(2)) : colors {
        for target in from == .grey ? Array(colors.prefix(2)) : colors {
          let picture = draw(from, size, padding: 10, range: source.0, matrix: source.1, pool: pool)
          let result = try written(picture, size, range: target.0, matrix: target.1)
          let error = result.errorAgainstBars(lumaOnly: from == .grey)
          #expect(error <= 3, "\(size) \(source) \(target)")
        }
      }
    }
  }

  @Test(arguments: PixelFormat.uncompressed)
  func mirroredPicturesAreTheOtherWayRound(_ from: PixelFormat) throws {
    let size = Size(width: 256, height: 8)
    let picture = draw(from, size, padding: 10, pool: pool) { x, y in Bars.color(255 - x, y) }
    for (range, matrix) in [(FrameLayout.Range.limited, FrameLayout.Matrix.bt601), (.full, .bt709)] {
      if from == .grey, matrix == .bt709 { continue }
      let result = try written(picture, size, isMirrored: true, range: range, matrix: matrix)
      #expect(result.errorAgainstBars(lumaOnly: from == .grey) <= 3, "\(range) \(matrix)")
    }
  }

  /// A scaled picture is as bright and has the same colours on average as the whole picture.
  @Test(arguments: PixelFormat.uncompressed, [false, true])
  func scalingKeepsTheMean(_ from: PixelFormat, _ isMirrored: Bool) throws {
    let full = Size(width: 132, height: 76)
    let picture = draw(from, full, padding: 7, pool: pool, waves(full))
    let whole = try PictureConverter(pool: pool).convert(picture, to: .nv12).mean
    for (size, tolerance) in [
      (Size(width: 66, height: 38), 1.0), (Size(width: 33, height: 19), 2.5), (Size(width: 62, height: 36), 2),
      (Size(width: 160, height: 90), 2),
    ] {
      let result = try written(picture, size, isMirrored: isMirrored)
      #expect(YCC(result.mean).distance(to: YCC(whole)) <= tolerance, "\(size)")
    }
  }

  /// JPEG is decoded at the scale that fits, to either range.
  @Test(arguments: [FrameLayout.Range.limited, .full])
  func jpegKeepsItsColours(_ range: FrameLayout.Range) throws {
    let picture = compressedPicture(Samples.yuv422, Size(width: 243, height: 21), pool: pool)
    let same = try written(picture, Size(width: 243, height: 21), range: range)
    #expect(same.errorAgainstBars() <= 6)
    let other = try written(picture, Size(width: 243, height: 21), range: range, matrix: .bt709)
    #expect(other.errorAgainstBars() <= 6)
    let quarter = try written(picture, Size(width: 60, height: 6), range: range)
    #expect(YCC(quarter.mean).distance(to: YCC(same.mean)) <= 4)
  }

  @Test func aDamagedPictureWritesNothing() throws {
    let size = Size(width: 243, height: 21)
    let damaged = compressedPicture(Array(Samples.yuv422.dropLast(60)), size, pool: pool)
    #expect(reason { try written(damaged, size) } == .frameDamaged)
    #expect(damaged.buffer.isDamaged)
    let short = Picture(layout: .packed(.nv12, Size(width: 4096, height: 4096))!, buffer: damaged.buffer)
    #expect(reason { try written(short, size) } == .processingFailed)
    let unknown = Picture(
      layout: FrameLayout(pixelFormat: PixelFormat(fourCC: "WXYZ")!, size: size, planes: []), buffer: damaged.buffer)
    #expect(reason { try written(unknown, size) } == .formatNotSupported)
  }

  /// High dynamic range becomes BT.709, which the writer converts further.
  @Test func highDynamicRangeIsMapped() throws {
    let size = Size(width: 64, height: 36)
    let layout = FrameLayout.packed(.p010, size, matrix: .bt2020, transfer: .pq)!
    let memory = pool.take(layout.byteCount)!
    for index in 0..<layout.byteCount / 2 {
      let code: UInt16 = index < size.pixelCount ? 520 : 512
      memory.bytes.storeBytes(of: (code << 6).littleEndian, toByteOffset: 2 * index, as: UInt16.self)
    }
    let picture = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    let expected = try PictureConverter(pool: pool).convert(picture, to: .nv12, mapsTones: true).mean
    for (range, matrix) in [(FrameLayout.Range.limited, FrameLayout.Matrix.bt709), (.full, .bt601)] {
      let result = try written(picture, size, range: range, matrix: matrix)
      #expect(YCC(result.mean).distance(to: YCC(expected)) <= 2, "\(range) \(matrix)")
    }
  }
}
