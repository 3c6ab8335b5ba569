internal import CV4L2
internal import CaptureCore
internal import Glibc

/// Makes frames of the pictures in a driver's buffers. One thread uses a reader.
///
/// A picture that a frame can take as it is stays in the driver's buffer, if the driver can spare the buffer. Every
/// other picture is copied into frame memory, which is the only copy that is ever made of a frame. Repair and
/// conversion are done by the same copy, not by another.
final class FrameReader {
  enum Outcome {
    /// A frame with memory of its own.
    case frame(FrameBuffer)
    /// A frame in the driver's buffer, which keeps the buffer.
    case lent(FrameBuffer)
    /// The driver marked the picture as damaged, or the picture is too short, has another size or is not a picture at
    /// all.
    case damaged
    /// The picture is whole, and it needs one that was lost.
    case incomplete
    /// The buffer is whole and has no picture, but what the decoder needs for the pictures that follow.
    case noPicture
    /// The pool has no free memory.
    case outOfBuffers
  }

  private let stream: NegotiatedStream
  private let pool: FramePool
  private let converter: OpaquePointer?
  /// The size of compressed pictures.
  private var codedSize: PictureSize
  /// How the frames lie in memory. It differs from that of the stream where the camera sends pictures of another size.
  private(set) var layout: FrameLayout
  /// What the camera does otherwise than its driver says. Nil while the reader has noticed nothing.
  private(set) var oddity: SourceOddity?
  /// The pictures of a camera that sends coded video. Nil for any other camera.
  private var video: VideoAssembly?
  /// The place of the last picture in its stream. Nil unless the camera sends coded video.
  private(set) var coded: CodedPicture?
  /// The least number of bytes of each driver buffer that holds a whole picture. Empty when the length of a whole
  /// picture is not known beforehand.
  private let leastBytes: [Int]

  /// - Returns: nil when libv4lconvert refuses the format, although the library accepted the format before.
  init?(_ stream: NegotiatedStream, pool: FramePool) {
    self.stream = stream
    self.pool = pool
    let layout = stream.format.layout
    self.layout = layout
    codedSize = PictureSize(told: layout.size)
    switch stream.delivery {
    case .converted:
      let driver = stream.driver
      converter = CV4L2_converter_create(
        driver.pixelFormat.rawValue, UInt32(driver.size.width), UInt32(driver.size.height),
        UInt32(driver.planes[0].bytesPerLine), UInt32(driver.planes[0].sizeImage))
      // The library decides whether a picture is whole, because drivers of compressed formats give meaningless strides.
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
    case .video:
      converter = nil
      leastBytes = []
      video = VideoAssembly(stream.driver.pixelFormat)
    }
  }

  /// Whether the camera sends coded video.
  var isVideo: Bool { video != nil }

  /// Whether the camera is to be asked for a key frame. True once for each wish.
  func takeKeyFrameRequest() -> Bool { video?.takeRequest() ?? false }

  deinit { if let converter { CV4L2_converter_destroy(converter) } }

  /// Prepares the first frame's memory while the camera exposes that frame, because the first use of fresh pages takes
  /// longer than the copy.
  func warm() {
    let count = stream.format.layout.byteCount
    guard count > 0, let memory = pool.take(count) else { return }
    memory.populate()
  }

  /// Copies, repairs or converts the picture in `buffer`, as the format of the stream needs.
  func read(_ buffer: FilledBuffer) -> Outcome {
    guard !buffer.isDamaged, buffer.planes.count >= max(leastBytes.count, 1) else {
      video?.lose()
      return .damaged
    }
    for (plane, least) in zip(buffer.planes, leastBytes) where plane.count < least { return .damaged }
    return switch stream.delivery {
    case .copied: lend(buffer) ?? copy(buffer.planes[0])
    case .joined: join(buffer.planes)
    case .jpeg: repair(UnsafeRawBufferPointer(buffer.planes[0]))
    case .video: collect(UnsafeRawBufferPointer(buffer.planes[0]), buffer.sequence)
    case .converted: convert(buffer.planes[0])
    }
  }

  private func lend(_ buffer: FilledBuffer) -> Outcome? {
    let (count, source) = (stream.format.layout.byteCount, buffer.planes[0])
    guard let loan = buffer.loan, let slab = loan.slab, source.baseAddress == loan.planes[0].baseAddress,
      source.count >= count
    else { return nil }
    return pool.adopt(slab, count: count, from: loan).map(Outcome.lent)
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
    guard let picture = MotionJPEG(source), codedSize.accepts(picture.size) else { return .damaged }
    let told = codedSize.told
    layout.size = picture.fillsUp(told) ? told : picture.size
    if picture.size != told { oddity = .otherPictureSize(told: told, found: picture.size, published: layout.size) }
    guard let memory = pool.take(picture.byteCount) else { return .outOfBuffers }
    picture.write(from: source, to: memory.bytes, as: layout.size)
    return .frame(memory.freeze(count: picture.byteCount))
  }

  private func collect(_ source: UnsafeRawBufferPointer, _ sequence: UInt32) -> Outcome {
    let (outcome, picture) = video!.add(source, sequence, pool)
    coded = picture
    return outcome
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
  /// Writes `count` bytes at `offset`. When `source` is shorter because the driver left out padding, zeros follow,
  /// because recycled memory contains old pictures.
  fileprivate func fill(at offset: Int, _ count: Int, from source: UnsafeMutableRawBufferPointer) {
    let copied = min(count, source.count)
    let destination = bytes.baseAddress! + offset
    memcpy(destination, source.baseAddress!, copied)
    if copied < count { memset(destination + copied, 0, count - copied) }
  }
}
