internal import CaptureCore
internal import FirstlightAPI

extension PhotoQuality {
  /// Reads a quality from a request. An unspecified quality is `balanced`.
  ///
  /// - Throws: `invalidArgument` for a quality that this version does not know; the error names `field`.
  init(_ proto: Firstlight_V1_PhotoQualityPrioritization, field: String) throws(CaptureError) {
    switch proto {
    case .speed: self = .speed
    case .balanced, .unspecified: self = .balanced
    case .quality: self = .quality
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_PhotoQualityPrioritization {
    switch self {
    case .speed: .speed
    case .balanced: .balanced
    case .quality: .quality
    }
  }
}
