public import CaptureCore

/// What an input of a session does.
public struct InputStatus: Hashable, Sendable {
  /// The id of the input.
  public var input: String
  /// The id of the camera or microphone; empty for a composition.
  public var deviceID: String
  /// Whether the device runs. A microphone that cannot run does not keep its session from running.
  public var status: SessionStatus
  /// The error that interrupted a microphone, or that interrupted or stopped one of several cameras of a session that
  /// goes on; nil otherwise.
  public var error: CaptureError?

  /// Creates a status.
  ///
  /// - Parameters: as the properties of the same names.
  public init(input: String, deviceID: String, status: SessionStatus, error: CaptureError? = nil) {
    self.input = input
    self.deviceID = deviceID
    self.status = status
    self.error = error
  }
}
