public import CaptureCore
internal import Imaging
internal import SystemFiles

/// Which pictures of an asset a client asks for.
public struct ImageRequest: Hashable, Sendable {
  /// How a picture fits the target.
  public enum ContentMode: Hashable, Sendable {
    /// The picture fits into the target.
    case aspectFit
    /// The picture covers the target.
    case aspectFill
  }

  /// Which pictures come.
  public enum DeliveryMode: Hashable, Sendable {
    /// A degraded picture at once, and then the wanted one.
    case opportunistic
    /// Only the wanted picture.
    case highQualityFormat
    /// Only the picture that comes soonest.
    case fastFormat
  }

  /// The size to which the picture is scaled down. Nil stands for the photo's own file.
  public var target: Size?
  /// How the picture fits the target.
  public var contentMode: ContentMode
  /// Which pictures come.
  public var deliveryMode: DeliveryMode
  /// Whether the library may send a second degraded picture, between the thumbnail and the wanted picture.
  public var allowsSecondaryDegradedImage: Bool

  /// Creates a value.
  public init(
    target: Size?, contentMode: ContentMode, deliveryMode: DeliveryMode, allowsSecondaryDegradedImage: Bool
  ) {
    self.target = target
    self.contentMode = contentMode
    self.deliveryMode = deliveryMode
    self.allowsSecondaryDegradedImage = allowsSecondaryDegradedImage
  }
}

/// A picture of an asset.
public struct AssetImage: Sendable {
  /// How the picture is encoded.
  public let encoding: AssetEncoding
  /// The size of the picture.
  public let size: Size
  /// The encoded picture.
  public let buffer: FrameBuffer
  /// Whether a better picture follows, or would have followed.
  public let isDegraded: Bool
}

/// A picture that is to be made of an asset. A value.
public struct ImageStep: Hashable, Sendable {
  /// The file of the asset that the picture is made of.
  let source: AssetResource
  /// The size of the picture; nil for the file as it is.
  let size: Size?
  /// Whether a better picture follows, or would have followed.
  let isDegraded: Bool

  /// The pictures that answer a request, from the smallest to the one that the client wants.
  ///
  /// - Throws: `assetNotFound` for an asset without a photo.
  static func steps(for request: ImageRequest, of asset: Asset) throws(CaptureError) -> [ImageStep] {
    guard let photo = asset.photo else { throw .noAsset(asset.id) }
    let isScalable = photo.encoding == .jpeg
    let wanted = request.target.map { size(of: photo.size, in: $0, request.contentMode) } ?? photo.size
    let final = ImageStep(
      source: photo, size: isScalable && wanted != photo.size ? wanted : nil, isDegraded: false)
    guard request.deliveryMode != .highQualityFormat, let thumbnail = asset.thumbnail,
      thumbnail.size.pixelCount < wanted.pixelCount
    else { return [final] }
    let first = ImageStep(source: thumbnail, size: nil, isDegraded: true)
    if request.deliveryMode == .fastFormat { return [first] }
    let half = size(of: photo.size, in: Size(width: wanted.width / 2, height: wanted.height / 2), .aspectFit)
    guard request.allowsSecondaryDegradedImage, isScalable, half.pixelCount > thumbnail.size.pixelCount else {
      return [first, final]
    }
    return [first, ImageStep(source: photo, size: half, isDegraded: true), final]
  }

  /// The size of a photo that is scaled down to a target, and never up.
  private static func size(of photo: Size, in target: Size, _ mode: ImageRequest.ContentMode) -> Size {
    guard mode == .aspectFill else { return photo.fitted(into: target) }
    // The side that is the smaller one beside the target decides. Multiplying crosswise compares without dividing.
    let isWide = photo.width * target.height >= photo.height * target.width
    let scaled =
      isWide
      ? Size(width: (photo.width * target.height + photo.height - 1) / photo.height, height: target.height)
      : Size(width: target.width, height: (photo.height * target.width + photo.width - 1) / photo.width)
    return scaled.width >= photo.width || scaled.height >= photo.height ? photo : scaled
  }
}

extension PhotoLibrary {
  /// The pictures that answer a request, in the order in which ``image(_:)`` is to make them.
  ///
  /// - Throws: `assetNotFound`, `libraryUnavailable`, `processingFailed`.
  public func imageSteps(for request: ImageRequest, of id: String) async throws(CaptureError) -> [ImageStep] {
    try ImageStep.steps(for: request, of: try await asset(id))
  }

  /// Makes a picture.
  ///
  /// - Throws: `processingFailed` when the file is gone or the disk fails; `frameDamaged` for a file that is damaged;
  ///   `outOfBuffers` when there is no memory for the picture.
  public func image(_ step: ImageStep) async throws(CaptureError) -> AssetImage {
    try await read { [pool] library throws(CaptureError) in
      let source = step.source
      pool.reclaim()
      let file = try library.contents.open(source.file)
      let count = Int(source.byteCount)
      guard let memory = pool.take(count) else {
        throw CaptureError(
          .outOfBuffers, "The photo library has no \(count) bytes left for a picture; try again later.",
          metadata: ["bytes": "\(count)"])
      }
      guard try file.readAll(into: memory.bytes, at: 0, ContentFolder.reading) == count else {
        throw CaptureError(
          .processingFailed, "The file of asset photo \(source.file) is shorter than it was.",
          metadata: ["file": source.file])
      }
      let buffer = memory.freeze(count: count)
      guard let size = step.size else {
        return AssetImage(encoding: source.encoding, size: source.size, buffer: buffer, isDegraded: step.isDegraded)
      }
      guard let photo = PictureFile.read(buffer) else {
        throw CaptureError(
          .frameDamaged, "The file of asset photo \(source.file) is not the photo that it was.",
          metadata: ["file": source.file])
      }
      do throws(CaptureError) {
        let scaled = try PictureFile(pool: pool).scaled(photo, to: size)
        return AssetImage(encoding: .jpeg, size: size, buffer: scaled.buffer, isDegraded: step.isDegraded)
      } catch {
        // A browser may show what the decoder does not take, such as a picture in CMYK.
        guard error.reason == .formatNotSupported else { throw error }
        return AssetImage(encoding: .jpeg, size: source.size, buffer: buffer, isDegraded: step.isDegraded)
      }
    }
  }
}
