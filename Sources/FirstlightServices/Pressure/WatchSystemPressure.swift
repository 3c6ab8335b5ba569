internal import CaptureCore
internal import FirstlightAPI
internal import GRPCTransport
internal import ServiceLifecycle
internal import SwiftProtobuf
internal import SystemPressure

extension PressureHandlers {
  func watchSystemPressure(
    _ request: Firstlight_V1_WatchSystemPressureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchSystemPressureResponse>
  ) async throws {
    for await state in monitor.watch(try await scope(request.device)).cancelOnGracefulShutdown() {
      try await writer.write(.with { $0.state = state.proto })
    }
    try Task.checkCancellation()
    throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
  }
}
