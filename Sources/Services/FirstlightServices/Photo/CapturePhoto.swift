internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import Imaging
internal import Locking
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func capturePhoto(
    _ request: Firstlight_V1_CapturePhotoRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_CapturePhotoResponse>
  ) async throws {
    let (session, output) = try await photoOutput(of: request.session)
    // The client tracks a capture only until it requests the capture. An accepted request ends the tracking by itself;
    // this line ends the tracking for a request that fails.
    defer { output.stopTracking(request.settings.uniqueID) }
    let limit = try messageLimit(request)
    var wanted = try PhotoRequest(request, arrival: context.arrival)
    try await session.whileViewed(since: context.arrival) {
      wanted.awaitsSettling = try await session.awaitStartOnDemand(since: context.arrival)
      let capture = try output.capture(try await output.decidingFlash(wanted))
      // The capture goes on when the client leaves, and needs the session as long.
      capture.whenEnded(session.beginCapture())
      for await event in capture.events {
        if case .didFinishProcessingPhoto(.success(let photo)) = event.kind, photo.hasData, photo.byteCount <= limit {
          try await writer.write(PhotoMessage.make(event, eventID: output.events.eventID(event.id), photo))
        } else {
          try await writer.write(.with { $0.event = event.proto(eventID: output.events.eventID(event.id)) })
        }
      }
    }
  }

  /// Returns the largest photo, in bytes, that a message to the client may contain: the client's limit, 4 MiB by
  /// default, without 1 KiB for the other fields of the message.
  ///
  /// - Throws: `invalidArgument` for a limit below 64 KiB.
  private func messageLimit(_ request: Firstlight_V1_CapturePhotoRequest) throws(CaptureError) -> Int {
    let limit = try Validation.inRange(
      request.hasMaxMessageBytes ? request.maxMessageBytes : nil, 65536...UInt32.max, default: 4 << 20,
      field: "max_message_bytes")
    return Int(limit) - 1024
  }
}
