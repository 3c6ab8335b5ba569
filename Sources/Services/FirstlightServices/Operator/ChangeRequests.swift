internal import FirstlightAPI
internal import SwiftProtobuf

/// A request of a method that changes something for other clients.
protocol ChangeRequest: Message {
  /// Whether the method starts a session, so that its line in the log must wait.
  static var isStart: Bool { get }
  /// The name of what changes; nil when this request changes nothing.
  var changedResource: String? { get }
}

extension ChangeRequest {
  static var isStart: Bool { false }
}

/// A response that tells the name of what a method made.
protocol ChangeResponse: Message {
  /// The name.
  var madeResource: String { get }
}

// The requests of the methods whose calls go into the ChangeLog. SetOverlay is not among them, because a program may
// call it for each frame.

extension Firstlight_V1_DeleteSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_ConfigureSessionRequest: ChangeRequest {
  var changedResource: String? { validateOnly ? nil : name }
}

extension Firstlight_V1_StartSessionRequest: ChangeRequest {
  static var isStart: Bool { true }
  var changedResource: String? { name }
}

extension Firstlight_V1_StopSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_SetControlsRequest: ChangeRequest {
  var changedResource: String? { device }
}

extension Firstlight_V1_PerformChangesRequest: ChangeRequest {
  /// Photos that are added change nothing for others.
  var changedResource: String? {
    changes.lazy.map(\.deleteAsset).first { !$0.isEmpty }
  }
}

extension Firstlight_V1_StartRecordingRequest: ChangeRequest {
  var changedResource: String? { session }
}

extension Firstlight_V1_StopRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_PauseRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_ResumeRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_DeleteRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_SetVideoStorageCapacityRequest: ChangeRequest {
  var changedResource: String? { "the video storage" }
}

extension Firstlight_V1_ReplenishVideoStorageRequest: ChangeRequest {
  var changedResource: String? { "the video storage" }
}

extension Firstlight_V1_AttachToOutputRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_FinishWritingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_CancelWritingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_Drill_V1_InjectFaultRequest: ChangeRequest {
  var changedResource: String? { device }
}

extension Firstlight_Drill_V1_SimulateLevelRequest: ChangeRequest {
  var changedResource: String? { "the pressure" }
}

extension Firstlight_V1_CreateSessionResponse: ChangeResponse {
  var madeResource: String { session.name }
}

extension Firstlight_V1_CreateWriterResponse: ChangeResponse {
  var madeResource: String { writer.name }
}

extension Firstlight_Drill_V1_BlockTaskPoolRequest: ChangeRequest {
  var changedResource: String? { "the daemon" }
}
