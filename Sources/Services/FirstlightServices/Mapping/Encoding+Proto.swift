internal import CaptureCore
internal import FirstlightAPI
internal import PhotoCapture
internal import FrameDelivery
internal import SwiftProtobuf

extension PhotoEncoding {
  /// Reads the encoding of a photo from a request. A client that names none gets JPEG.
  ///
  /// - Throws: `unsupportedValue` for H.264, in which no photo can be; `invalidArgument` for an encoding that this
  ///   version does not know.
  init(_ proto: Firstlight_V1_Encoding, field: String) throws(CaptureError) {
    switch proto {
    case .unspecified, .jpeg: self = .jpeg
    case .heic: self = .heic
    case .png: self = .png
    case .uncompressed: self = .uncompressed
    case .h264:
      throw CaptureError(
        .unsupportedValue, "Photos are not made in H264; name JPEG, HEIC, PNG or UNCOMPRESSED.",
        metadata: ["encoding": "H264"], field: field)
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_Encoding {
    switch self {
    case .jpeg: .jpeg
    case .heic: .heic
    case .png: .png
    case .uncompressed: .uncompressed
    }
  }
}

extension PreviewEncoding {
  /// Reads the encoding of a preview from a request. A client that names neither an encoding nor a pixel format gets
  /// JPEG.
  ///
  /// - Parameter pixelFormat: the four-character code of uncompressed pictures; empty for the default, NV12.
  /// - Throws: `unsupportedValue` for an encoding or a pixel format in which no preview can be, and for a pixel format
  ///   together with a compressed encoding; `invalidArgument` for an encoding that this version does not know.
  init(_ proto: Firstlight_V1_Encoding, pixelFormat: String) throws(CaptureError) {
    switch (proto, pixelFormat) {
    case (.unspecified, ""), (.jpeg, ""): self = .jpeg
    case (.h264, ""): self = .h264
    case (.uncompressed, ""), (.uncompressed, "NV12"), (.unspecified, "NV12"): self = .nv12
    case (.uncompressed, "YUYV"), (.unspecified, "YUYV"): self = .yuyv
    case (.uncompressed, _), (.unspecified, _):
      throw CaptureError(
        .unsupportedValue, "Previews are not given in \(pixelFormat.prefix(40)); name NV12 or YUYV.",
        metadata: ["pixel_format": String(pixelFormat.prefix(40)), "available": "NV12, YUYV"], field: "pixel_format")
    case (.jpeg, _), (.h264, _):
      throw CaptureError(
        .unsupportedValue, "Only uncompressed pictures have a pixel format; leave it out, or name UNCOMPRESSED.",
        metadata: ["pixel_format": String(pixelFormat.prefix(40))], field: "pixel_format")
    case (.heic, _), (.png, _):
      throw CaptureError(
        .unsupportedValue, "Previews are not encoded as files; name JPEG, H264 or UNCOMPRESSED.",
        metadata: ["encoding": "\(proto)"], field: "encoding")
    case (.UNRECOGNIZED(let value), _): throw Validation.unknownEnum(value, field: "encoding")
    }
  }

  var proto: Firstlight_V1_Encoding {
    switch self {
    case .jpeg: .jpeg
    case .h264: .h264
    case .nv12, .yuyv: .uncompressed
    }
  }

  /// The four-character code of the pixel format of uncompressed pictures; empty for compressed encodings.
  var rawPixelFormat: String {
    switch self {
    case .jpeg, .h264: ""
    case .nv12: PixelFormat.nv12.fourCC
    case .yuyv: PixelFormat.yuyv.fourCC
    }
  }
}

extension PixelFormat {
  /// The V4L2 four-character codes of compressed video formats for which the contract has no encoding.
  private static let otherVideo: Set = [
    "HEVC", "H263", "MPG1", "MPG2", "MPG4", "XVID", "VP80", "VP90", "VC1G", "dvsd", "FWHT",
  ]

  /// The encoding of frames in this format; unspecified for a compressed format for which the contract has no encoding.
  var encoding: Firstlight_V1_Encoding {
    if isJPEG { return .jpeg }
    if self == .h264 { return .h264 }
    return Self.otherVideo.contains(fourCC) ? .unspecified : .uncompressed
  }
}

extension FrameLayout.Range {
  /// Reads a colour range from a request. Nil when the client names none, and so gets the camera's own range.
  ///
  /// - Throws: `invalidArgument` for a range that this version does not know.
  init?(_ proto: Firstlight_V1_ColorRange, field: String) throws(CaptureError) {
    switch proto {
    case .unspecified: return nil
    case .limited: self = .limited
    case .full: self = .full
    case .UNRECOGNIZED: throw Validation.unknownEnum(proto.rawValue, field: field)
    }
  }

  var proto: Firstlight_V1_ColorRange { self == .full ? .full : .limited }
}

extension FrameLayout.Matrix {
  var proto: Firstlight_V1_ColorMatrix {
    switch self {
    case .bt601: .bt601
    case .bt709: .bt709
    case .bt2020: .bt2020
    }
  }
}

extension Firstlight_V1_Photo {
  /// Sets the fields that say how to read the pixels of an uncompressed photo with this layout.
  mutating func describe(_ layout: FrameLayout) {
    pixelFormat = layout.pixelFormat.fourCC
    if layout.transfer == .pq { colorTransfer = .pq }
    guard layout.pixelFormat.isYCbCr else { return }
    colorRange = layout.range.proto
    colorMatrix = layout.matrix.proto
  }
}
