public import CaptureCore
public import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf

extension SessionConfiguration {
  /// Reads a configuration from JSON, in the proto3 JSON mapping of `firstlight.v1.SessionConfiguration`. The names of
  /// fields may be in snake_case or camelCase.
  ///
  /// - Throws: `invalidArgument` when `json` is not such a message, and for values that are valid for no device.
  public init(json: String) throws(CaptureError) {
    let message: Firstlight_V1_SessionConfiguration
    do { message = try Firstlight_V1_SessionConfiguration(jsonString: json) } catch {
      throw CaptureError(.invalidArgument, "it is no SessionConfiguration (\(error))")
    }
    try self.init(message)
  }
}
