package import GoogleRPC
internal import SwiftProtobuf

/// What the details of an error say that a message carries.
extension Google_Rpc_Status {
  /// The reason; nil when the error gives none.
  package var reason: String? {
    details.lazy.compactMap { try? Google_Rpc_ErrorInfo(unpackingAny: $0) }.first?.reason
  }

  /// Whether the error says when the client may try again.
  package var hasRetryInfo: Bool { details.contains { $0.isA(Google_Rpc_RetryInfo.self) } }
}
