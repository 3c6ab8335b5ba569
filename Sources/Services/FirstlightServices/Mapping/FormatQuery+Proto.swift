internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf

extension FormatQuery {
  /// Reads a query from a request.
  ///
  /// - Throws: `invalidArgument` for a size, a frame rate or a pixel format that no format can have.
  init(_ proto: Firstlight_V1_FormatQuery) throws(CaptureError) {
    self.init()
    if proto.hasSize {
      guard proto.size.width > 0, proto.size.height > 0 else {
        throw Self.malformed("size", "\(proto.size.width)x\(proto.size.height)", "both sides must be above 0")
      }
      size = Size(width: Int(proto.size.width), height: Int(proto.size.height))
    }
    if proto.hasFrameRate {
      let rate = Rational(proto.frameRate)
      guard rate.value > 0 else { throw Self.malformed("frame_rate", "\(rate)", "it must be above 0") }
      frameRate = rate
    }
    if !proto.pixelFormat.isEmpty {
      guard let format = PixelFormat(fourCC: proto.pixelFormat) else {
        throw Self.malformed("pixel_format", String(proto.pixelFormat.prefix(40)), "it is a four-character code")
      }
      pixelFormat = format
    }
  }

  private static func malformed(_ field: String, _ value: String, _ rule: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "No format has a \(field) of \(value): \(rule).", metadata: [field: value],
      field: "format_query.\(field)")
  }
}

extension StreamRequest {
  /// The request as the best match of the client's query among the formats of `device`.
  func proto(on device: Device) -> Firstlight_V1_FormatMatch {
    .with {
      $0.device = "devices/\(device.id)"
      $0.pixelFormat = pixelFormat.fourCC
      $0.size = size.proto
      $0.frameRate = frameRate.proto
    }
  }
}
