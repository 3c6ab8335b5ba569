internal import CaptureCore
internal import FirstlightAPI
internal import Foundation
internal import MovieRecording
internal import RPCCore
internal import SwiftProtobuf

extension RecordingHandlers {
  func downloadRecording(
    _ request: Firstlight_V1_DownloadRecordingRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadRecordingResponse>
  ) async throws {
    let file = try await recordings.open(Self.id(request.name))
    let count = file.size
    guard request.offset <= count else {
      throw CaptureError(
        .invalidArgument, "offset is \(request.offset); the file has \(count) bytes.",
        metadata: ["offset": "\(request.offset)", "byte_count": "\(count)"], field: "offset")
    }
    var offset = request.offset
    while offset < count {
      let bytes = try await file.read(at: offset, count: Int(min(count - offset, UInt64(RecordingFile.maximumRead))))
      guard !bytes.isEmpty else { return }
      try await writer.write(
        .with {
          $0.offset = offset
          $0.data = Data(bytes)
        })
      offset += UInt64(bytes.count)
    }
  }
}
