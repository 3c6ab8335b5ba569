internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf

/// The handlers of ViewfinderService. The parts of a viewfinder are served by the handlers of the methods that they are
/// named after.
struct ViewfinderHandlers: ViewfinderServiceHandler {
  let access: MethodAccess
  let readers: ReaderDirectory
  let previews: PreviewHandlers
  let sessions: SessionHandlers
  let photos: PhotoHandlers
  let pressure: PressureHandlers
  let devices: DeviceHandlers
}

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

/// The content of a message of StreamViewfinder, before the message has its number.
enum ViewfinderMessage: Sendable {
  case status(Firstlight_V1_ViewfinderStatus)
  case ended(Firstlight_V1_ViewfinderEnding)
  /// A message of StreamPreview, with the id of the preview.
  case preview(String, LentMessage)
  /// A message about a session, with the session's resource name.
  case session(String, SessionField, LentMessage)
  /// A message of WatchSystemPressure.
  case pressure(LentMessage)
  /// A message of WatchDevices.
  case device(LentMessage)

  /// The field of `ViewfinderSessionMessage` that holds a message.
  enum SessionField: Int, Sendable {
    case event = 2
    case capture = 3
    case readiness = 4
    case audioLevels = 5
  }

  /// Makes the message.
  ///
  /// - Throws: SwiftProtobuf's error when the message cannot be encoded.
  func lent(number: UInt64) throws -> LentMessage {
    switch self {
    case .status(let status):
      try LentMessage(Firstlight_V1_StreamViewfinderResponse.with { ($0.messageNumber, $0.status) = (number, status) })
    case .ended(let ending):
      try LentMessage(Firstlight_V1_StreamViewfinderResponse.with { ($0.messageNumber, $0.ended) = (number, ending) })
    case .preview(let id, let message): Self.around(message, in: [2, 3], name: id, number)
    case .session(let name, let field, let message): Self.around(message, in: [field.rawValue, 4], name: name, number)
    case .pressure(let message): Self.around(message, in: [5], number)
    case .device(let message): Self.around(message, in: [6], number)
    }
  }

  /// Makes a message around another one. The message is written by hand and shares the payload of the other one,
  /// because the payload may be a picture.
  ///
  /// - Parameters:
  ///   - fields: the numbers of the fields around the message, innermost first.
  ///   - name: field 1 beside the innermost field.
  ///   - number: field 1 of the whole message.
  private static func around(
    _ message: LentMessage, in fields: [Int], name: String = "", _ number: UInt64
  ) -> LentMessage {
    let payloadBytes = message.payload.withUnsafeBytes { $0.count }
    var writer = WireWriter(reservingCapacity: 320)
    writer.encoded(message.header)
    for (index, field) in fields.enumerated() {
      writer.lengthDelimited(field, count: writer.count + payloadBytes)
      if index == 0 { writer.field(1, name) }
    }
    writer.field(1, number)
    return LentMessage(header: writer.finish(), sharingPayloadOf: message)
  }
}
