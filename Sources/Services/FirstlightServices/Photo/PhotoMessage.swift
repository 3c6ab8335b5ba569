internal import CaptureCore
internal import FirstlightAPI
internal import Imaging
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

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
