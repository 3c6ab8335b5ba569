internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func watchCaptures(
    _ request: Firstlight_V1_WatchCapturesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchCapturesResponse>
  ) async throws {
    let (session, output) = try await photoOutput(of: request.session)
    try await session.idle.whileAttached {
      try await output.watchingCaptures {
        let after = request.afterEventID
        var position = try after.isEmpty ? output.events.lastID : output.events.number(of: after)
        while true {
          let entry = try await output.events.entry(after: position)
          position = entry.id
          try await writer.write(.with { $0.event = entry.payload.proto(eventID: output.events.eventID(entry.id)) })
        }
      }
    }
  }
}
