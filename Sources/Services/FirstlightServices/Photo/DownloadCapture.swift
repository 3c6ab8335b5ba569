internal import CaptureCore
internal import FirstlightAPI
internal import Foundation
internal import Imaging
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  /// The largest number of the photo's bytes in one message.
  private static let chunk = 1 << 20

  func downloadCapture(
    _ request: Firstlight_V1_DownloadCaptureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadCaptureResponse>
  ) async throws {
    let id = try ResourceName.id(in: request.name, "captures", field: "name")
    let index = Int(request.bracketIndex)
    let photo = try captures.photo(id, index: index).lent
    let count = photo.byteCount
    guard request.offset <= UInt64(count) else {
      throw CaptureError(
        .invalidArgument, "offset is \(request.offset); the photo has \(count) bytes.",
        metadata: ["offset": "\(request.offset)", "byte_count": "\(count)"], field: "offset")
    }
    var offset = Int(request.offset)
    while offset < count {
      let end = min(offset + Self.chunk, count)
      // The message contains a copy, because the transport can only lend a whole buffer, and because downloads are
      // rare. When memory is short, `photo` comes without its bytes, and each message fetches the photo again. The
      // store may then drop the photo before the download ends, and the call fails with `captureNotFound`.
      let data = try (photo.hasData ? photo : captures.photo(id, index: index)).picture.buffer.withUnsafeBytes {
        Data($0[offset..<end])
      }
      try await writer.write(
        .with {
          $0.offset = UInt64(offset)
          $0.data = data
        })
      offset = end
    }
  }
}
