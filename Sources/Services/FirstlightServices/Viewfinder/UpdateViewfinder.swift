internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf

extension ViewfinderHandlers {
  func updateViewfinder(
    _ request: Firstlight_V1_UpdateViewfinderRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_UpdateViewfinderResponse {
    let contents = try Set(request.contents)
    let viewfinder = try readers.stream(token: request.streamToken, as: Viewfinder.self)
    let revision = viewfinder.show(contents)
    return .with { $0.revision = revision }
  }
}
