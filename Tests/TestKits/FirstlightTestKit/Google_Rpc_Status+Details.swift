package import GoogleRPC
internal import SwiftProtobuf

/// Tests read the details of an error that a message carries, such as that of a failed writer, by these properties.
extension Google_Rpc_Status {
  /// The reason; nil when the error gives none.
  package var reason: String? {
    details.lazy.compactMap { try? Google_Rpc_ErrorInfo(unpackingAny: $0) }.first?.reason
  }

  /// True when the error tells the client when it may try again.
  package var hasRetryInfo: Bool { details.contains { $0.isA(Google_Rpc_RetryInfo.self) } }
}
