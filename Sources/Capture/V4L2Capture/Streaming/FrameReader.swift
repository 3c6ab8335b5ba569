internal import CV4L2
internal import CaptureCore
internal import Glibc

/// Makes frame memory from a driver's buffer: the one copy a frame ever makes. Used by one thread.
///
/// It is made for every frame because the ring of recent frames and raw readers share it: if they held the driver's
/// buffers, a single stuck reader would starve the driver. Repair and conversion happen in that copy, not beside it.
final class FrameReader {
  enum Outcome {
    case frame(FrameBuffer)
    /// Flagged by the driver, too short, of another size, or not a picture.
    case damaged
    case outOfBuffers
  }

  private let stream: NegotiatedStream
  private let pool: FramePool
  private let converter: OpaquePointer?
  /// Bytes each driver buffer must have to be a whole picture.
  private let leastBytes: [Int]

  /// - Returns: nil when libv4lconvert refuses the format after all.
  init?(_ stream: NegotiatedStream, pool: FramePool) {
    self.stream = stream
    self.pool = pool
    let layout = stream.format.layout
    switch stream.delivery {
    case .converted:
      let driver = stream.driver
      converter = CV4L2_converter_create(
        driver.pixelFormat.rawValue, UInt32(driver.size.width), UInt32(driver.size.height),
        UInt32(driver.planes[0].bytesPerLine), UInt32(driver.planes[0].sizeImage))
      // Left to the library: drivers of compressed formats state strides that mean nothing.
      leastBytes = []
      if converter == nil { return nil }
    case .copied:
      converter = nil
      let last = layout.planes.count - 1
      leastBytes = [layout.planes[last].offset + layout.leastByteCount(ofPlane: last)]
    case .joined:
      converter = nil
      leastBytes = layout.planes.indices.map { layout.leastByteCount(ofPlane: $0) }
    case .jpeg:
      converter = nil
      leastBytes = []
    }
  }

  deinit { if let converter { CV4L2_converter_destroy(converter) } }

  /// Has the first frame's memory ready while the camera exposes it: fresh pages take longer than the copy.
  func warm() {
    let count = stream.format.layout.byteCount
    guard count > 0, let memory = pool.take(count) else { return }
    memory.populate()
  }

  func read(_ buffer: FilledBuffer) -> Outcome {
    guard !buffer.isDamaged, buffer.planes.count >= max(leastBytes.count, 1) else { return .damaged }
    for (plane, least) in zip(buffer.planes, leastBytes) where plane.count < least { return .damaged }
    return switch stream.delivery {
    case .copied: copy(buffer.planes[0])
    case .joined: join(buffer.planes)
    case .jpeg: repair(UnsafeRawBufferPointer(buffer.planes[0]))
    case .converted: convert(buffer.planes[0])
    }
  }

  private func copy(_ source: UnsafeMutableRawBufferPointer) -> Outcome {
    let count = stream.format.layout.byteCount
    guard let memory = pool.take(count) else { return .outOfBuffers }
    memory.fill(at: 0, count, from: source)
    return .frame(memory.freeze(count: count))
  }

  private func join(_ sources: [UnsafeMutableRawBufferPointer]) -> Outcome {
    let layout = stream.format.layout
    guard let memory = pool.take(layout.byteCount) else { return .outOfBuffers }
    for (plane, source) in zip(layout.planes, sources) {
      memory.fill(at: plane.offset, plane.stride * plane.rows, from: source)
    }
    return .frame(memory.freeze(count: layout.byteCount))
  }

  private func repair(_ source: UnsafeRawBufferPointer) -> Outcome {
    guard let picture = MotionJPEG(source, of: stream.format.layout.size) else { return .damaged }
    guard let memory = pool.take(picture.byteCount) else { return .outOfBuffers }
    picture.write(from: source, to: memory.bytes)
    return .frame(memory.freeze(count: picture.byteCount))
  }

  private func convert(_ source: UnsafeMutableRawBufferPointer) -> Outcome {
    guard source.count > 0 else { return .damaged }
    let count = stream.format.layout.byteCount
    guard let memory = pool.take(count) else { return .outOfBuffers }
    let written = CV4L2_converter_convert(
      converter!, source.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(source.count),
      memory.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(count))
    guard written == count else { return .damaged }
    return .frame(memory.freeze(count: count))
  }
}

extension WritableFrameBuffer {
  /// Copies `count` bytes to `offset`. Where the driver left out padding, zeros: recycled memory holds old pictures.
  fileprivate func fill(at offset: Int, _ count: Int, from source: UnsafeMutableRawBufferPointer) {
    let copied = min(count, source.count)
    let destination = bytes.baseAddress! + offset
    memcpy(destination, source.baseAddress!, copied)
    if copied < count { memset(destination + copied, 0, count - copied) }
  }
}
