internal import CaptureCore
internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf

extension PhotoEncoding {
  /// - Throws: `invalidArgument` for an encoding this version does not know.
  init(_ proto: Firstlight_V1_PhotoEncoding, field: String) throws(CaptureError) {
    switch proto {
    case .unspecified, .jpeg: self = .jpeg
    case .heic: self = .heic
    case .png: self = .png
    case .uncompressed: self = .uncompressed
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_PhotoEncoding {
    switch self {
    case .jpeg: .jpeg
    case .heic: .heic
    case .png: .png
    case .uncompressed: .uncompressed
    }
  }
}

extension Firstlight_V1_Photo {
  /// How the pixels of an uncompressed photo lie.
  mutating func describe(_ layout: FrameLayout) {
    pixelFormat = layout.pixelFormat.fourCC
    guard layout.pixelFormat.isYCbCr else { return }
    fullRange = layout.range == .full
    bt709Matrix = layout.matrix == .bt709
  }
}
