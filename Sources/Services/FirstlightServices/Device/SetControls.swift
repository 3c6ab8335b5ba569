internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension DeviceHandlers {
  /// The largest number of settings in one call.
  static let maximumSettings = 64

  func setControls(
    _ request: Firstlight_V1_SetControlsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetControlsResponse {
    guard request.controlSettings.count <= Self.maximumSettings else {
      throw CaptureError(
        .invalidArgument,
        "One call takes at most \(Self.maximumSettings) settings; this one has \(request.controlSettings.count).",
        metadata: ["settings": "\(request.controlSettings.count)", "limit": "\(Self.maximumSettings)"],
        field: "control_settings")
    }
    let rate = request.hasActiveFrameRate ? Rational(request.activeFrameRate) : nil
    if let rate, rate.denominator == 0 {
      throw CaptureError(
        .invalidArgument, "The denominator of a frame rate must not be 0.", metadata: ["active_frame_rate": "\(rate)"],
        field: "active_frame_rate")
    }
    let id = try ResourceName.id(in: request.device, "devices", field: "device")
    if await devices.microphones.microphone(id) != nil {
      throw CaptureError(
        .notSupportedInConfiguration,
        "\(id) is a microphone, and microphones have no controls; set the level with the mixer of the machine.",
        metadata: ["device": id], field: "device")
    }
    let session =
      request.session.isEmpty ? nil : try await sessions.session(named: request.session, field: "session")
    // The registry knows every device that a session holds. For any other device, this call checks that it exists.
    if devices.holder(of: id) == nil { _ = try await devices.device(id) }
    try devices.checkClaim(on: id, by: session?.id)
    if let rate {
      guard let session else {
        throw CaptureError(
          .sessionNotRunning, "Device \(id) does not stream; start a session with it first.",
          metadata: ["device": id], field: "active_frame_rate")
      }
      try await session.setActiveFrameRate(rate, of: id)
    }
    let settings = request.controlSettings.map(ControlSetting.init)
    let results = try await devices.set(settings, on: id)
    return .with { $0.results = zip(settings, results).map { $1.proto(asked: $0.value) } }
  }
}
