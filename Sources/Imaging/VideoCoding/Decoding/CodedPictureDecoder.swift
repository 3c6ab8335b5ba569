public import CaptureCore
public import Imaging
internal import Locking

/// Decodes the pictures of a camera that sends H.264 or HEVC, for all who need their pixels. Nothing is decoded while
/// nobody does. Thread-safe.
final class CodedPictureDecoder: CodedPictureDecoding {
  /// Goes on from picture to picture, as previews do.
  private let forward: Locked<DecoderRun>
  /// Decodes earlier pictures, so that a photo of a past moment does not set the other decoder back.
  private let backward: Locked<DecoderRun>

  init(_ format: PixelFormat) {
    forward = Locked(DecoderRun(format))
    backward = Locked(DecoderRun(format))
  }

  func decode(_ picture: CodedPicture) throws(CaptureError) -> (layout: FrameLayout, buffer: FrameBuffer) {
    let decoded = try forward.withLock { run throws(CaptureError) in
      run.isBeyond(picture) ? nil : try run.decode(picture)
    }
    if let decoded { return decoded }
    return try backward.withLock { run throws(CaptureError) in try run.decode(picture) }
  }
}

extension Frame {
  /// The picture of the frame in pixels or as JPEG. Coded video is decoded, which takes milliseconds for the picture
  /// and for each one that it needs, unless another caller has just decoded it.
  ///
  /// - Throws: `frameDamaged` when the coded picture cannot be decoded; `outOfBuffers` when memory is used up;
  ///   `formatNotSupported` when libavcodec is not installed.
  public func decodedPicture() throws(CaptureError) -> Picture {
    guard let coded else { return picture }
    let decoder = coded.stream.decoder { CodedPictureDecoder(coded.stream.format) }
    do throws(CaptureError) {
      let (layout, buffer) = try decoder.decode(coded)
      return Picture(layout: layout, buffer: buffer)
    } catch {
      if error.reason == .frameDamaged { buffer.markDamaged() }
      throw error
    }
  }

  /// The mean luma of the picture; see ``MeanLuma``. Nil when it cannot be read.
  public var meanLuma: Double? { (try? decodedPicture()).flatMap(MeanLuma.measure) }
}
