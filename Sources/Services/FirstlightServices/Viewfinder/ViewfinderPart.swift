internal import CaptureCore
internal import FirstlightAPI
internal import SwiftProtobuf

/// A part of what a viewfinder shows. Two parts are the same when the client asked for the same with the same id.
enum ViewfinderPart: Hashable, Sendable {
  case preview(id: String, Firstlight_V1_StreamPreviewRequest)
  /// The events of a session and of its photo output; the session's resource name.
  case session(String)
  case pressure
  case devices
  /// How loud the microphones of a session are; the session's resource name.
  case levels(String)
}

extension Set<ViewfinderPart> {
  private static var maximumPreviews: Int { 16 }
  private static var maximumSessions: Int { 16 }

  /// Reads the contents that a client asked for.
  ///
  /// - Throws: `invalidArgument` for too many parts, for a part that comes twice, and for an id that is too short or
  ///   too long.
  init(_ proto: Firstlight_V1_ViewfinderContents) throws(CaptureError) {
    try Self.check(proto.previews.count, Self.maximumPreviews, field: "contents.previews")
    try Self.check(proto.sessions.count, Self.maximumSessions, field: "contents.sessions")
    try Self.check(proto.meteredSessions.count, Self.maximumSessions, field: "contents.metered_sessions")
    self.init()
    var ids: Set<String> = []
    for (index, preview) in proto.previews.enumerated() {
      let field = "contents.previews[\(index)].id"
      guard (1...63).contains(preview.id.count) else {
        throw CaptureError(
          .invalidArgument, "The id of a preview has 1 to 63 characters, and \(field) has \(preview.id.count).",
          field: field)
      }
      guard ids.insert(preview.id).inserted else { throw .twice(preview.id, field) }
      insert(.preview(id: preview.id, preview.request))
    }
    for (index, session) in proto.sessions.enumerated() {
      guard insert(.session(session)).inserted else { throw .twice(session, "contents.sessions[\(index)]") }
    }
    for (index, session) in proto.meteredSessions.enumerated() {
      guard insert(.levels(session)).inserted else { throw .twice(session, "contents.metered_sessions[\(index)]") }
    }
    if proto.pressure { insert(.pressure) }
    if proto.devices { insert(.devices) }
  }

  private static func check(_ count: Int, _ maximum: Int, field: String) throws(CaptureError) {
    guard count > maximum else { return }
    throw CaptureError(
      .invalidArgument, "\(field) has \(count) entries; a viewfinder has at most \(maximum).",
      metadata: ["count": "\(count)", "maximum": "\(maximum)"], field: field)
  }
}

extension CaptureError {
  fileprivate static func twice(_ name: String, _ field: String) -> Self {
    CaptureError(
      .invalidArgument, "\"\(name.prefix(80))\" comes twice in the contents; name each part once.", field: field)
  }
}

extension ViewfinderPart {
  /// The message with which the part ends.
  ///
  /// - Parameter error: the error that ended the part.
  func ending(_ error: any Error) -> Firstlight_V1_ViewfinderEnding {
    .with {
      switch self {
      case .preview(let id, _): $0.previewID = id
      case .session(let name): $0.session = name
      case .pressure: $0.pressure = true
      case .devices: $0.devices = true
      case .levels(let name): $0.meteredSession = name
      }
      $0.error = ErrorMapping.status(error)
    }
  }
}
