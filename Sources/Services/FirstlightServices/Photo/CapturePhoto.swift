internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import Imaging
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func capturePhoto(
    _ request: Firstlight_V1_CapturePhotoRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_CapturePhotoResponse>
  ) async throws {
    let (session, output) = try await photoOutput(of: request.session)
    // Whatever becomes of the request, it came.
    defer { output.stopTracking(request.settings.uniqueID) }
    let limit = try messageLimit(request)
    let wanted = try PhotoRequest(request, arrivalNanoseconds: context.arrivalNanoseconds)
    let capture = try output.capture(try await output.decidingFlash(wanted))
    try await session.idle.whileAttached {
      for await event in capture.events {
        if case .didFinishProcessingPhoto(.success(let photo)) = event.kind, photo.hasData, photo.byteCount <= limit {
          try await writer.write(PhotoMessage.make(event, eventID: output.events.eventID(event.id), photo))
        } else {
          try await writer.write(.with { $0.event = event.proto(eventID: output.events.eventID(event.id)) })
        }
      }
    }
  }

  /// What the photo's bytes may be: the client's limit less what goes with them.
  private func messageLimit(_ request: Firstlight_V1_CapturePhotoRequest) throws(CaptureError) -> Int {
    let limit = try Validation.inRange(
      request.hasMaxMessageBytes ? request.maxMessageBytes : nil, 65536...UInt32.max, default: 4 << 20,
      field: "max_message_bytes")
    return Int(limit) - 1024
  }
}
