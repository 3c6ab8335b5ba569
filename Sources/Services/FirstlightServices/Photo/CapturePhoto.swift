internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import Foundation
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
    let limit = try Validation.messageLimit(request.hasMaxMessageBytes ? request.maxMessageBytes : nil)
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
}

/// Makes the message of the event that a photo is finished. No other event contains pixels. The message refers to the
/// photo's memory and does not copy it.
enum PhotoMessage {
  /// Makes the message of `event`, which must be the finished processing of `photo`.
  ///
  /// - Parameter eventID: the ID of the event in the log of the photo output.
  static func make(_ event: PhotoCaptureEvent, eventID: String, _ photo: Photo) throws -> LentMessage {
    try make(photo.proto, in: event.commonFields(eventID: eventID), data: photo.picture.buffer)
  }

  /// Makes the message of a finished photo.
  ///
  /// - Parameters:
  ///   - photo: the photo without its bytes.
  ///   - event: the event without the photo.
  ///   - data: the bytes of the photo.
  static func make(
    _ photo: Firstlight_V1_Photo, in event: Firstlight_V1_PhotoCaptureEvent, data: FrameBuffer
  ) throws -> LentMessage {
    // The levels are CapturePhotoResponse.event { …, did_finish_processing_photo { photo { …, data } } }.
    try FrameSerializer.message(
      photo, at: .init(field: 1), in: [.init(field: 1), .init(field: 6, siblings: try event.serializedBytes())],
      dataField: FrameField.data, data: data)
  }
}

extension PhotoHandlers {
  /// The largest number of the photo's bytes in one message.
  private static let chunk = 1 << 20

  func downloadCapture(
    _ request: Firstlight_V1_DownloadCaptureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadCaptureResponse>
  ) async throws {
    let id = try ResourceName.id(in: request.name, "captures", field: "name")
    let index = Int(request.bracketIndex)
    let photo = try captures.photo(id, index: index).lent
    let count = photo.byteCount
    guard request.offset <= UInt64(count) else {
      throw CaptureError(
        .invalidArgument, "offset is \(request.offset); the photo has \(count) bytes.",
        metadata: ["offset": "\(request.offset)", "byte_count": "\(count)"], field: "offset")
    }
    var offset = Int(request.offset)
    while offset < count {
      let end = min(offset + Self.chunk, count)
      // The message contains a copy, because the transport can only lend a whole buffer, and because downloads are
      // rare. When memory is short, `photo` comes without its bytes, and each message fetches the photo again. The
      // store may then drop the photo before the download ends, and the call fails with `captureNotFound`.
      let data = try (photo.hasData ? photo : captures.photo(id, index: index)).picture.buffer.withUnsafeBytes {
        Data($0[offset..<end])
      }
      try await writer.write(
        .with {
          $0.offset = UInt64(offset)
          $0.data = data
        })
      offset = end
    }
  }
}
