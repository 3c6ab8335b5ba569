internal import CaptureCore
internal import FirstlightAPI
internal import Foundation
internal import GRPCTransport
internal import Imaging
internal import PhotoCapture
internal import SwiftProtobuf

extension PhotoHandlers {
  /// Bytes in one message.
  private static let chunk = 1 << 20

  func downloadCapture(
    _ request: Firstlight_V1_DownloadCaptureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadCaptureResponse>
  ) async throws {
    let buffer = try captures.photo(try ResourceName.id(in: request.name, "captures", field: "name")).picture.buffer
    guard request.offset <= UInt64(buffer.count) else {
      throw CaptureError(
        .invalidArgument, "offset is \(request.offset); the photo has \(buffer.count) bytes.",
        metadata: ["offset": "\(request.offset)", "byte_count": "\(buffer.count)"], field: "offset")
    }
    var offset = Int(request.offset)
    while offset < buffer.count {
      let end = min(offset + Self.chunk, buffer.count)
      // A copy: a lent payload is a whole buffer, and downloads are rare.
      let data = buffer.withUnsafeBytes { Data($0[offset..<end]) }
      try await writer.write(
        .with {
          $0.offset = UInt64(offset)
          $0.data = data
        })
      offset = end
    }
  }
}
