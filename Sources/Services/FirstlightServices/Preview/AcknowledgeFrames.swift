internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore

extension PreviewHandlers {
  func acknowledgeFrames(
    _ request: Firstlight_V1_AcknowledgeFramesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_AcknowledgeFramesResponse {
    try readers.acknowledge(token: request.streamToken, sequence: request.sequence)
    return Firstlight_V1_AcknowledgeFramesResponse()
  }
}
