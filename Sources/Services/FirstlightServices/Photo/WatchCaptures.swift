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
    try await session.idle.whileAttached { try await watchCaptures(of: output, after: request.afterEventID, writer) }
  }

  /// Sends the events of captures. The caller says whether the stream counts as a use of the session.
  ///
  /// - Parameter eventID: the id of the event after which the events begin; empty for the events from now on.
  func watchCaptures(
    of output: PhotoOutput, after eventID: String, _ writer: ResponseWriter<Firstlight_V1_WatchCapturesResponse>
  ) async throws {
    try await output.watchingCaptures {
      var position = try eventID.isEmpty ? output.events.lastID : output.events.number(of: eventID)
      while true {
        let entry = try await output.events.entry(after: position)
        position = entry.id
        try await writer.write(.with { $0.event = entry.payload.proto(eventID: output.events.eventID(entry.id)) })
      }
    }
  }
}
