public import CaptureCore
public import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf

extension SessionConfiguration {
  /// Reads the proto3 JSON mapping of `firstlight.v1.SessionConfiguration`; names of fields in snake_case or camelCase.
  ///
  /// - Throws: `invalidArgument` for what is no such message, and for what no device could make sense of.
  public init(json: String) throws(CaptureError) {
    let message: Firstlight_V1_SessionConfiguration
    do { message = try Firstlight_V1_SessionConfiguration(jsonString: json) } catch {
      throw CaptureError(.invalidArgument, "it is no SessionConfiguration (\(error))")
    }
    try self.init(message)
  }
}
