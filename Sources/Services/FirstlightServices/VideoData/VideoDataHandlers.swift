internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import OverlayDrawing
internal import RPCCore
internal import SwiftProtobuf

/// The handlers of VideoDataService. The handler of each method is in a file of its own in this folder.
struct VideoDataHandlers: VideoDataServiceHandler {
  let sessions: SessionRegistry
  /// Reads the warmest thermal zone, in thousandths of a degree Celsius; nil on a machine without a reading.
  let temperature: @Sendable () -> Int?
}

extension VideoDataHandlers {
  func setOverlay(
    _ request: Firstlight_V1_SetOverlayRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetOverlayResponse {
    let session = try await sessions.session(named: request.session, field: "session")
    let output = try await session.output(
      request.previewOutput, as: PreviewOutput.self, named: "preview", field: "preview_output")
    try output.setOverlay(try await Overlay(request.overlay, path: "overlay"))
    return Firstlight_V1_SetOverlayResponse()
  }
}

extension VideoDataHandlers {
  func streamVideoData(
    _ request: Firstlight_V1_StreamVideoDataRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamVideoDataResponse>
  ) async throws {
    let session = try await sessions.expectedSession(named: request.session, field: "session")
    let output = try await session.output(request.output, as: VideoDataOutput.self, named: "video data")
    let reader = try output.attach(VideoDataRequest(request))
    defer { reader.detach() }
    try await session.whileViewed(since: context.arrival) {
      try await writer.write(
        from: ReaderMessages(reader: reader) { [temperature] event in try event.message(temperature) })
    }
  }
}

extension VideoDataEvent {
  /// The event as a message of StreamVideoData.
  ///
  /// - Parameter temperature: reads the warmest thermal zone, in thousandths of a degree Celsius; nil on a machine
  ///   without a reading.
  /// - Throws: SwiftProtobuf's error when the message cannot be encoded.
  fileprivate func message(_ temperature: @Sendable () -> Int?) throws -> LentMessage {
    switch self {
    case .status(let status):
      try LentMessage(Firstlight_V1_StreamVideoDataResponse.with { $0.status = status.proto })
    case .frame(let captured, let dropped, let memo):
      try memo.value(dropped: dropped) {
        try FrameSerializer.message(
          captured.videoData(dropped: dropped, temperature: temperature()), at: .init(field: 2),
          dataField: FrameField.data, data: captured.frame.buffer)
      }
    }
  }
}
