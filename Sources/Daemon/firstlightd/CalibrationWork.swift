internal import CaptureCore
internal import CaptureSessions
internal import Foundation
internal import Imaging

/// The work that calibration measures. The daemon does work of these kinds for every frame.
enum CalibrationWork {
  private static let size = Size(width: 1280, height: 720)
  /// The number of bytes in the copying work: more than caches hold, as the frames together are.
  private static let copied = 16 << 20

  /// Measures on the calling thread how much of each kind of work one core does in a second.
  ///
  /// - Throws: the error of a kind of work that fails on this machine.
  static func measure() throws -> CoreThroughput {
    let pool = FramePool(budget: 4 * size.pixelCount * 4)
    let (encoder, converter) = (JPEGEncoder(pool: pool), PictureConverter(pool: pool))
    let (planar, packed) = (try picture(.nv12, pool), try picture(.yuyv, pool))
    let source = UnsafeMutableRawBufferPointer.allocate(byteCount: copied, alignment: 4096)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: copied, alignment: 4096)
    defer {
      source.deallocate()
      target.deallocate()
    }
    // The source gets written, because all untouched pages are the same page of zeros, which would stay in the cache.
    source.initializeMemory(as: UInt8.self, repeating: 1)
    return try Calibration.measure(
      copying: .init(units: Double(copied)) { target.copyMemory(from: UnsafeRawBufferPointer(source)) },
      // Programs that analyse pictures ask for 4:2:2 to RGB, which is the most expensive of the usual conversions.
      converting: .init(units: Double(size.pixelCount)) { _ = try converter.convert(packed, to: .xbgr32) },
      encoding: .init(units: Double(size.pixelCount)) { _ = try encoder.encode(planar, quality: 80) })
  }

  /// A picture with detail everywhere, because a flat picture would compress too fast.
  ///
  /// - Throws: `outOfBuffers` when there is no memory for the picture.
  private static func picture(_ format: PixelFormat, _ pool: FramePool) throws(CaptureError) -> Picture {
    guard let layout = FrameLayout.packed(format, size), let memory = pool.take(layout.byteCount) else {
      throw CaptureError(.outOfBuffers, "There is no memory for a picture of \(size).")
    }
    let bytes = memory.bytes
    var noise: UInt32 = 1
    for index in 0..<layout.byteCount {
      noise = noise &* 1_664_525 &+ 1_013_904_223
      bytes[index] = UInt8(truncatingIfNeeded: 64 + (index >> 4 & 0x3f) + Int(noise >> 29))
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }
}
