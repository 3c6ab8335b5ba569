internal import CaptureCore
internal import Imaging

/// Turns a picture and compresses it at a quality. Thread-bound, as codecs are.
typealias EncodePhoto = (Picture, Int, Orientation) throws(CaptureError) -> Picture

/// Makes an encoder on the thread that will use it, with the memory its pictures come from.
typealias MakePhotoEncoder = @Sendable (FramePool) -> EncodePhoto

enum PhotoEncoding {
  /// The real encoder.
  static let make: MakePhotoEncoder = { pool in
    let jpeg = JPEGEncoder(pool: pool)
    return { (picture, quality, orientation) throws(CaptureError) in
      if picture.layout.pixelFormat.isJPEG, orientation == .asCaptured { return try kept(picture, pool: pool) }
      return try jpeg.encode(picture, quality: quality, orientation: orientation)
    }
  }

  /// A camera's own JPEG, in memory of the pool: a photo is kept for a minute, and must not keep the camera's from
  /// being used again.
  private static func kept(_ picture: Picture, pool: FramePool) throws(CaptureError) -> Picture {
    let count = picture.buffer.count
    guard let memory = pool.take(count) else {
      throw CaptureError(.outOfBuffers, "No \(count) bytes are left for a photo.", metadata: ["bytes": "\(count)"])
    }
    picture.buffer.withUnsafeBytes { memory.bytes.copyMemory(from: $0) }
    var layout = picture.layout
    layout.pixelFormat = .jpeg
    return Picture(layout: layout, buffer: memory.freeze(count: count))
  }
}
