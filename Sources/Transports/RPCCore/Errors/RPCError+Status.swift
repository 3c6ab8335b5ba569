public import GoogleRPC
internal import SwiftProtobuf

extension RPCError {
  /// Returns the error with exactly one `ErrorInfo`, which has a domain, and short enough for trailing metadata.
  package func completed(domain: String) -> RPCError {
    var copy = shortened()
    guard var info = copy.errorInfo else {
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

  /// Returns the error as a message: what transports send, and what responses carry. A detail that cannot be packed is
  /// left out, because the status itself matters more.
  ///
  /// - Parameter domain: the domain of an `ErrorInfo` that has none.
  public func status(domain: String) -> Google_Rpc_Status {
    let error = completed(domain: domain)
    return .with {
      $0.code = Int32(error.code.rawValue)
      $0.message = error.message
      $0.details = error.details.compactMap { try? Google_Protobuf_Any(message: $0) }
    }
  }

  /// Returns the encoded message, as gRPC and gRPC-Web send it in `grpc-status-details-bin`.
  package func serializedStatus() -> [UInt8] { (try? status(domain: "").serializedBytes()) ?? [] }
}
