internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import SwiftProtobuf

extension PreviewRequest {
  init(_ proto: Firstlight_V1_StreamPreviewRequest) throws(CaptureError) {
    self.init(
      encoding: try PreviewEncoding(proto.encoding, pixelFormat: proto.pixelFormat),
      maxSize: proto.hasMaxSize ? Size(width: Int(proto.maxSize.width), height: Int(proto.maxSize.height)) : nil,
      gravity: try PreviewGravity(proto.gravity), rotation: try Self.rotation(proto.rotation),
      maxFrameRate: proto.hasMaxFrameRate ? Rational(proto.maxFrameRate) : nil,
      jpegQuality: Int(proto.hasJpegQuality ? proto.jpegQuality : 80), isAdaptive: proto.adaptive,
      maxMessageBytes: Int(proto.hasMaxMessageBytes ? proto.maxMessageBytes : 4 << 20),
      maxUnacknowledgedFrames: Int(proto.maxUnacknowledgedFrames))
  }
}

extension PreviewRequest {
  private static func rotation(_ degrees: UInt32) throws(CaptureError) -> Orientation.Rotation {
    if let rotation = Orientation.Rotation(rawValue: Int(degrees)) { return rotation }
    throw CaptureError(
      .invalidArgument, "rotation is \(degrees), but must be 0, 90, 180 or 270 degrees.",
      metadata: ["rotation": "\(degrees)"], field: "rotation")
  }
}

extension PreviewGravity {
  init(_ proto: Firstlight_V1_PreviewGravity) throws(CaptureError) {
    switch proto {
    case .resize: self = .resize
    case .unspecified, .resizeAspect: self = .resizeAspect
    case .resizeAspectFill: self = .resizeAspectFill
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "gravity")
    }
  }
}

extension PreviewStatus {
  var proto: Firstlight_V1_PreviewStatus {
    .with {
      $0.streamToken = token
      $0.sessionState = session.state.proto
      $0.interruptionReason = session.interruption?.proto ?? .unspecified
      $0.takingStill = session.isTakingStill
      $0.previewing = isPreviewing
      if let size { $0.size = size.proto }
      $0.encoding = encoding.proto
      $0.pixelFormat = encoding.rawPixelFormat
      $0.jpegQuality = UInt32(quality)
      $0.everyNthFrame = UInt32(every)
    }
  }
}
