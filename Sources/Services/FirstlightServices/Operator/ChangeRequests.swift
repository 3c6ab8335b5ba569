internal import FirstlightAPI
internal import SwiftProtobuf

// The requests of the methods whose calls go into the ChangeLog. SetOverlay is not among them, because a program may
// call it for each frame.

extension Firstlight_V1_CreateSessionRequest: ChangeRequest {
  var changedResource: String? { "sessions/\(sessionID)" }
}

extension Firstlight_V1_DeleteSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_ConfigureSessionRequest: ChangeRequest {
  var changedResource: String? { validateOnly ? nil : name }
}

extension Firstlight_V1_StartSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_StopSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_SetControlsRequest: ChangeRequest {
  var changedResource: String? { device }
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

extension Firstlight_V1_CreateWriterRequest: ChangeRequest {
  var changedResource: String? { "writers/" }
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
