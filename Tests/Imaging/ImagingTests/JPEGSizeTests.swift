import CaptureCore
import Testing

@testable import Imaging

/// The size that the head of a JPEG tells.
struct JPEGSizeTests {
  private static let size = Size(width: 48, height: 32)

  private func jpeg() throws -> [UInt8] {
    let pool = FramePool(budget: 1 << 20)
    let layout = FrameLayout.packed(.nv12, Self.size)!
    let memory = pool.take(layout.byteCount)!
    for index in memory.bytes.indices { memory.bytes[index] = 128 }
    let picture = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    return try JPEGEncoder(pool: pool).encode(picture, quality: 80).buffer.withUnsafeBytes { Array($0) }
  }

  @Test func theSizeIsInTheHead() throws {
    let bytes = try jpeg()
    #expect(bytes.withUnsafeBytes(JPEGSize.read) == Self.size)
  }

  @Test func aCameraMayPadItsPictures() throws {
    let bytes = try jpeg() + Array(repeating: 0, count: 100)
    #expect(bytes.withUnsafeBytes(JPEGSize.read) == Self.size)
  }

  @Test func anIncompletePictureHasNone() throws {
    let bytes = try jpeg()
    for count in 0..<bytes.count {
      #expect(bytes[..<count].withUnsafeBytes { JPEGSize.read(UnsafeRawBufferPointer(rebasing: $0[...])) } == nil)
    }
  }

  @Test(arguments: [[], [0xff, 0xd8], [0xff, 0xd8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xd9], Array("PNG and more".utf8)])
  func otherBytesHaveNone(_ bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes(JPEGSize.read) == nil)
  }
}
