internal import CaptureCore
internal import CaptureSession
internal import FirstlightAPI
internal import GRPCTransport
internal import Preview
internal import SwiftProtobuf

extension VideoDataHandlers {
  func streamVideoData(
    _ request: Firstlight_V1_StreamVideoDataRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamVideoDataResponse>
  ) async throws {
    let session = try await sessions.session(named: request.session, field: "session")
    let output = try await session.output(request.output, as: VideoDataOutput.self, named: "video data")
    let reader = try output.attach(VideoDataRequest(request), layout: await session.frameLayout)
    defer { reader.detach() }
    try await session.idle.whileAttached {
      while true {
        switch try await reader.next() {
        case .status(let status): try await writer.write(.with { $0.status = status.proto })
        case .frame(let captured, let dropped):
          try await writer.write(
            FrameSerializer.message(
              captured.videoData(dropped: dropped, temperature: temperature()), at: .init(field: 2),
              dataField: FrameField.data,
              data: captured.frame.buffer))
        }
      }
    }
  }
}
