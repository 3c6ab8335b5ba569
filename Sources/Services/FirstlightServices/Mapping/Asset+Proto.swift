internal import CaptureCore
internal import FirstlightAPI
internal import PhotoLibrary
internal import SwiftProtobuf
internal import SystemClocks

extension Asset {
  /// The asset as clients get it, without its thumbnail.
  var proto: Firstlight_V1_Asset {
    .with {
      $0.name = "assets/\(id)"
      $0.state = state.proto
      $0.session = session.isEmpty ? "" : "sessions/\(session)"
      $0.device = ResourceName.camera(device)
      $0.captureTime = .init(captureTime)
      $0.createTime = .init(addTime)
      guard let photo else { return }
      $0.encoding = photo.encoding.proto
      $0.width = UInt32(photo.size.width)
      $0.height = UInt32(photo.size.height)
      $0.byteCount = photo.byteCount
    }
  }
}

extension Asset.State {
  var proto: Firstlight_V1_Asset.State {
    switch self {
    case .final: .final
    }
  }
}

extension AssetEncoding {
  var proto: Firstlight_V1_Encoding {
    switch self {
    case .jpeg: .jpeg
    case .heic: .heic
    case .png: .png
    }
  }
}

extension AssetEvent {
  /// The event as clients get it, without its id and its time.
  var proto: Firstlight_V1_AssetEvent {
    .with {
      switch self {
      case .added(let asset): $0.added = asset.proto
      case .deleted(let id): $0.deleted = "assets/\(id)"
      }
    }
  }
}

extension AssetImage {
  /// The picture as clients get it, without its bytes.
  var proto: Firstlight_V1_AssetImage {
    .with {
      $0.encoding = encoding.proto
      $0.width = UInt32(size.width)
      $0.height = UInt32(size.height)
      $0.degraded = isDegraded
    }
  }
}

extension AssetFilter {
  /// Reads the filters of a list.
  ///
  /// - Throws: `invalidArgument`.
  init(_ request: Firstlight_V1_ListAssetsRequest) throws(CaptureError) {
    let state: Asset.State? =
      switch request.state {
      case .unspecified: nil
      case .final: .final
      case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "state")
      }
    self.init(
      session: try request.session.isEmpty
        ? "" : ResourceName.id(in: request.session, "sessions", field: "session"),
      device: try request.device.isEmpty ? "" : ResourceName.id(in: request.device, "devices", field: "device"),
      state: state,
      times: try Validation.timeRange(
        request.hasStartTime ? request.startTime : nil, request.hasEndTime ? request.endTime : nil))
  }
}

extension ImageRequest {
  /// Reads which pictures a client wants.
  ///
  /// - Throws: `invalidArgument` for a target with only one side, and for an enum value that this version does not
  ///   know.
  init(_ request: Firstlight_V1_RequestImageRequest) throws(CaptureError) {
    let (width, height) = (Int(request.targetWidth), Int(request.targetHeight))
    guard (width == 0) == (height == 0) else {
      throw CaptureError(
        .invalidArgument, "target_width is \(width) and target_height \(height); name both or neither.",
        metadata: ["target_width": "\(width)", "target_height": "\(height)"],
        field: width == 0 ? "target_width" : "target_height")
    }
    let contentMode: ContentMode =
      switch request.contentMode {
      case .unspecified, .aspectFit: .aspectFit
      case .aspectFill: .aspectFill
      case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "content_mode")
      }
    let deliveryMode: DeliveryMode =
      switch request.deliveryMode {
      case .unspecified, .opportunistic: .opportunistic
      case .highQualityFormat: .highQualityFormat
      case .fastFormat: .fastFormat
      case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "delivery_mode")
      }
    self.init(
      target: width == 0 ? nil : Size(width: width, height: height), contentMode: contentMode,
      deliveryMode: deliveryMode, allowsSecondaryDegradedImage: request.allowSecondaryDegradedImage)
  }
}

extension AssetPosition {
  /// The position as the key of a page token.
  var key: String { "\(captureTime.nanoseconds) \(number)" }

  /// Reads a key. Nil for another text.
  init?(key: String) {
    let parts = key.split(separator: " ")
    guard parts.count == 2, let time = UInt64(parts[0]), let number = UInt64(parts[1]) else { return nil }
    self.init(captureTime: WallInstant(nanoseconds: time), number: number)
  }
}
