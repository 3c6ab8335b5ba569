public import GoogleRPC
internal import SwiftProtobuf

extension RPCError {
  /// The same error with exactly one `ErrorInfo` that has a domain, short enough for trailing metadata.
  func completed(domain: String) -> RPCError {
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

  /// As a message, for errors that travel inside responses. A detail that cannot be packed is left out: the status
  /// itself matters more.
  ///
  /// - Parameter domain: for an `ErrorInfo` without one.
  public func status(domain: String) -> Google_Rpc_Status {
    let error = completed(domain: domain)
    return .with {
      $0.code = Int32(error.code.rawValue)
      $0.message = error.message
      $0.details = error.details.compactMap { try? Google_Protobuf_Any(message: $0) }
    }
  }

  /// The bytes of `grpc-status-details-bin`.
  func serializedStatus() -> [UInt8] { (try? status(domain: "").serializedBytes()) ?? [] }
}
