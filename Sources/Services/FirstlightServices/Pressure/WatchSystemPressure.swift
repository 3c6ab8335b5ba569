internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore
internal import ServiceLifecycle
internal import SwiftProtobuf
internal import SystemPressure

extension PressureHandlers {
  func watchSystemPressure(
    _ request: Firstlight_V1_WatchSystemPressureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchSystemPressureResponse>
  ) async throws {
    let scope = try await scope(request.device)
    func write(_ update: PressureUpdate) async throws {
      try await writer.write(
        .with {
          $0.state = update.state.proto
          $0.eventID = monitor.eventID(update.number)
        })
    }
    let next: AsyncStream<PressureUpdate>
    if request.afterEventID.isEmpty {
      next = monitor.updates(of: scope)
    } else {
      let (missed, later) = try monitor.updates(of: scope, after: monitor.number(of: request.afterEventID))
      for update in missed { try await write(update) }
      next = later
    }
    for await update in next.cancelOnGracefulShutdown() { try await write(update) }
    try Task.checkCancellation()
    throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
  }
}
