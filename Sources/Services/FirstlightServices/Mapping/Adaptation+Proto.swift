internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf

extension AdaptationStep {
  var proto: Firstlight_V1_AdaptationStep {
    .with {
      $0.level = level.proto
      switch limit {
      case .previewSide(let side): $0.previewSidePixels = UInt32(side)
      case .previewQuality(let quality): $0.previewJpegQuality = UInt32(quality)
      case .previewRate(let rate): $0.previewFrameRate = rate.proto
      case .ringWindow(let window): $0.zeroShutterLagWindow = .init(nanoseconds: Int64(clamping: window))
      case .fusedFrames(let count): $0.fusedFrames = UInt32(count)
      case .deviceRate(let rate): $0.deviceFrameRate = rate.proto
      }
    }
  }
}

extension AdaptationPolicy {
  init(_ proto: Firstlight_V1_AdaptationPolicy) throws(CaptureError) {
    switch proto {
    case .unspecified, .client: self = .client
    case .server: self = .server
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "configuration.adaptation_policy")
    }
  }

  var proto: Firstlight_V1_AdaptationPolicy {
    switch self {
    case .client: .client
    case .server: .server
    }
  }
}
