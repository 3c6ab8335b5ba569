internal import GoogleRPC
internal import SwiftProtobuf

extension RPCError {
  /// The same error with exactly one `ErrorInfo` that has a domain.
  func completed(domain: String) -> RPCError {
    var copy = self
    guard var info = errorInfo else {
      copy.details.insert(
        Google_Rpc_ErrorInfo.with {
          $0.reason = code.description
          $0.domain = domain
        }, at: 0)
      return copy
    }
    if info.domain.isEmpty { info.domain = domain }
    copy.details.removeAll { $0 is Google_Rpc_ErrorInfo }
    copy.details.insert(info, at: 0)
    return copy
  }

  /// The bytes of `grpc-status-details-bin`. A detail that cannot be packed is left out: the status itself matters more.
  func serializedStatus() -> [UInt8] {
    let status = Google_Rpc_Status.with {
      $0.code = Int32(code.rawValue)
      $0.message = message
      $0.details = details.compactMap { try? Google_Protobuf_Any(message: $0) }
    }
    return (try? status.serializedBytes()) ?? []
  }
}
