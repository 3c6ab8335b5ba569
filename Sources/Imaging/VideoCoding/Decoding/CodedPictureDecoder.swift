public import CaptureCore
public import Imaging
internal import Locking

/// Decodes the pictures of a camera that sends H.264 or HEVC, for all who need their pixels. Nothing is decoded while
/// nobody does. Thread-safe.
final class CodedPictureDecoder: CodedPictureDecoding {
  /// Goes on from picture to picture, as previews do.
  private let forward: Locked<DecoderRun>
  /// Decodes earlier pictures, so that a photo of a past moment does not set the other decoder back, and those that a
  /// thread of low priority measures, so that a preview does not wait for such a thread.
  private let backward: Locked<DecoderRun>

  init(_ format: PixelFormat) {
    forward = Locked(DecoderRun(format))
    backward = Locked(DecoderRun(format))
  }

  func decode(
    _ picture: CodedPicture, of layout: FrameLayout, isAside: Bool
  ) throws(CaptureError) -> (layout: FrameLayout, buffer: FrameBuffer) {
    if !isAside {
      let decoded = try forward.withLock { run throws(CaptureError) in
        run.isBeyond(picture) ? nil : try run.decode(picture, of: layout)
      }
      if let decoded { return decoded }
    }
    return try backward.withLock { run throws(CaptureError) in try run.decode(picture, of: layout) }
  }
}

extension Frame {
  /// The picture of the frame in pixels or as JPEG. Coded video is decoded, which takes milliseconds for the picture
  /// and for each one that it needs, unless another caller has just decoded it.
  ///
  /// - Throws: `frameDamaged` when the coded picture cannot be decoded; `outOfBuffers` when memory is used up;
  ///   `formatNotSupported` when libavcodec is not installed.
  public func decodedPicture() throws(CaptureError) -> Picture { try decodedPicture(isAside: false) }

  private func decodedPicture(isAside: Bool) throws(CaptureError) -> Picture {
    guard let coded else { return picture }
    let decoder = coded.stream.decoder { CodedPictureDecoder(coded.stream.format) }
    do throws(CaptureError) {
      let (layout, buffer) = try decoder.decode(coded, of: layout, isAside: isAside)
      return Picture(layout: layout, buffer: buffer)
    } catch {
      if error.reason == .frameDamaged { buffer.markDamaged() }
      throw error
    }
  }

  /// The mean luma of the picture; see ``MeanLuma``. Nil when it cannot be read.
  public var meanLuma: Double? { (try? decodedPicture(isAside: true)).flatMap(MeanLuma.measure) }
}
