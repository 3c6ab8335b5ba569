internal import CaptureCore
internal import CaptureSessions
internal import Foundation
internal import Imaging

/// The work that is measured: what the daemon does for every frame.
enum CalibrationWork {
  private static let size = Size(width: 1280, height: 720)
  /// Larger than what caches hold, as frames together are.
  private static let copied = 16 << 20

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
    // Untouched pages are all the same page of zeros, which would be in the cache.
    source.initializeMemory(as: UInt8.self, repeating: 1)
    return try Calibration.measure(
      copying: .init(units: Double(copied)) { target.copyMemory(from: UnsafeRawBufferPointer(source)) },
      // 4:2:2 to RGB is what programs that analyse pictures ask for, and the dearest that is usual.
      converting: .init(units: Double(size.pixelCount)) { _ = try converter.convert(packed, to: .xbgr32) },
      encoding: .init(units: Double(size.pixelCount)) { _ = try encoder.encode(planar, quality: 80) })
  }

  /// A picture with detail everywhere: a flat one would compress too fast.
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
