public import CaptureCore
public import Imaging
public import SystemClocks

/// A photo of the library, as its database describes it. A value: it does not change when the asset does.
public struct Asset: Hashable, Sendable {
  /// Says how far the photo is finished. The database keeps the raw values.
  public enum State: Int, Sendable, CaseIterable {
    /// The photo is finished.
    case final = 3
  }

  /// The id, which no other asset ever has.
  public let id: String
  /// The place of the asset in the order in which assets were added. No other asset of the library ever has it.
  let number: Int64
  /// How far the photo is finished.
  public let state: State
  /// The id of the session that took the photo; empty when the client named none. The session may no longer exist.
  public let session: String
  /// The id of the camera; empty when the client named none.
  public let device: String
  /// When the photo was captured.
  public let captureTime: WallInstant
  /// When the asset was added to the library.
  public let addTime: WallInstant
  /// The files of the asset.
  public let resources: [AssetResource]

  /// The file of the photo itself.
  public var photo: AssetResource? { resources.first { $0.type == .photo } }

  /// The small picture for lists; nil when the library cannot read the format of the photo.
  public var thumbnail: AssetResource? { resources.first { $0.type == .thumbnail } }

  /// The bytes of all files of the asset.
  public var byteCount: UInt64 { resources.reduce(0) { $0 + $1.byteCount } }
}

/// A file of an asset.
public struct AssetResource: Hashable, Sendable {
  /// Says which purpose a file has. The database keeps the raw values.
  public enum Kind: Int, Sendable {
    case photo = 1
    /// A JPEG whose sides have at most ``PictureFile/thumbnailSide`` pixels.
    case thumbnail = 2
  }

  /// The purpose of the file.
  public let type: Kind
  /// The format of the file.
  public let encoding: AssetEncoding
  /// The size of the picture.
  public let size: Size
  /// The number of bytes.
  public let byteCount: UInt64
  /// The name of the file in the folder of contents.
  let file: String
}

/// A format of the files of assets. The database keeps the raw values.
public enum AssetEncoding: String, Sendable, CaseIterable {
  case jpeg, heic, png

  /// The media type of a file, for HTTP.
  public var mimeType: String { "image/\(rawValue)" }

  /// The end of a file's name, without a dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The format of a photo's picture. Nil for other pixel formats.
  public init?(_ format: PixelFormat) {
    switch format {
    case .jpeg, .mjpeg: self = .jpeg
    case .heic: self = .heic
    case .png: self = .png
    default: return nil
    }
  }
}

/// A change of the library. See ``PhotoLibrary/perform(_:)``.
public enum AssetChange: Sendable {
  case create(NewAsset)
  /// The id of the asset to delete.
  case delete(String)
}

/// An asset to be made.
public struct NewAsset: Sendable {
  /// The id of the session that took the photo, or empty.
  public var session: String
  /// The id of the camera, or empty.
  public var device: String
  /// When the photo was captured. Nil stands for the time at which the asset is added.
  public var captureTime: WallInstant?
  /// The photo, in one of the formats of ``AssetEncoding``. ``PictureFile`` makes it of the bytes of a file.
  public var photo: Picture

  /// Creates a value.
  public init(session: String, device: String, captureTime: WallInstant?, photo: Picture) {
    (self.session, self.device, self.captureTime, self.photo) = (session, device, captureTime, photo)
  }
}

/// Which assets a list has.
public struct AssetFilter: Hashable, Sendable {
  /// Only assets of the session with this id; empty for all.
  public var session = ""
  /// Only assets of the camera with this id; empty for all.
  public var device = ""
  /// Only assets in this state; nil for all.
  public var state: Asset.State?
  /// Only assets that were captured at these times.
  public var times: Range<WallInstant>

  /// Creates a value.
  public init(session: String = "", device: String = "", state: Asset.State? = nil, times: Range<WallInstant>) {
    (self.session, self.device, self.state, self.times) = (session, device, state, times)
  }
}

/// A place in a list of assets, which is ordered by time of capture, the newest first.
public struct AssetPosition: Hashable, Sendable {
  /// When the last asset before this place was captured.
  public let captureTime: WallInstant
  /// The number of this asset, for assets of the same time.
  public let number: UInt64

  /// Creates a position.
  public init(captureTime: WallInstant, number: UInt64) { (self.captureTime, self.number) = (captureTime, number) }

  /// The place behind an asset.
  public init(after asset: Asset) { self.init(captureTime: asset.captureTime, number: UInt64(asset.number)) }
}

/// Something that the library tells its watchers about an asset.
public enum AssetEvent: Sendable {
  /// A client created the asset.
  case added(Asset)
  /// A client deleted the asset with this id.
  case deleted(String)
}
