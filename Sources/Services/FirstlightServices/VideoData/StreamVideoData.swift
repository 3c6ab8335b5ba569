internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf

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
      try await writer.write(from: VideoDataMessages(reader: reader, temperature: temperature))
    }
  }
}

/// Gives the events of a reader to the transport as messages of StreamVideoData.
private struct VideoDataMessages: MessageSource {
  let reader: VideoDataReader
  /// Reads the warmest thermal zone, in thousandths of a degree Celsius; nil on a machine without a reading.
  let temperature: @Sendable () -> Int?

  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
    reader.asking { event in
      receiver(event.flatMap { event in Result { try message(event) } })
    }
  }

  func abandonNext() { reader.abandonNext() }

  private func message(_ event: VideoDataEvent) throws -> LentMessage {
    switch event {
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
