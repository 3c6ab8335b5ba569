internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import Imaging
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf

extension PreviewHandlers {
  func streamPreview(
    _ request: Firstlight_V1_StreamPreviewRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamPreviewResponse>
  ) async throws {
    let wanted = try PreviewRequest(request)
    let session = try await sessions.expectedSession(named: request.session, field: "session")
    let output = try await session.output(request.output, as: PreviewOutput.self, named: "preview")
    let reader = try output.attach(wanted)
    defer { reader.detach() }
    try await session.whileViewed(since: context.arrival) {
      try await writer.write(from: PreviewMessages(reader: reader))
    }
  }
}

/// Gives the events of a reader to the transport as messages of StreamPreview.
private struct PreviewMessages: MessageSource {
  let reader: PreviewReader

  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
    reader.asking { event in
      receiver(event.flatMap { event in Result { try Self.message(event) } })
    }
  }

  func abandonNext() { reader.abandonNext() }

  private static func message(_ event: PreviewEvent) throws -> LentMessage {
    switch event {
    case .status(let status):
      try LentMessage(Firstlight_V1_StreamPreviewResponse.with { $0.status = status.proto })
    case .frame(let picture):
      picture.memo.value(dropped: picture.dropped, omitted: picture.omitted) {
        FrameSerializer.message(
          at: .init(field: 2), dataField: FrameField.data, data: picture.picture.buffer, picture.write)
      }
    }
  }
}
