public import GoogleRPC
internal import SwiftProtobuf

extension RPCError {
  /// Returns the error with exactly one `ErrorInfo`, which comes first in the details and has a domain, and with its
  /// texts short enough for trailing metadata.
  ///
  /// - Parameter domain: the domain for an `ErrorInfo` that has none.
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

  /// Returns the error as a `google.rpc.Status`. Transports send this message, and some responses contain one. A detail
  /// that cannot be packed is left out, because the client needs the status more than the detail.
  ///
  /// - Parameter domain: the domain for an `ErrorInfo` that has none.
  public func status(domain: String) -> Google_Rpc_Status {
    let error = completed(domain: domain)
    return .with {
      $0.code = Int32(error.code.rawValue)
      $0.message = error.message
      $0.details = error.details.compactMap { try? Google_Protobuf_Any(message: $0) }
    }
  }

  /// Returns the encoded `google.rpc.Status`, which gRPC and gRPC-Web send in `grpc-status-details-bin`. The result is
  /// empty when the encoding fails.
  package func serializedStatus() -> [UInt8] { (try? status(domain: "").serializedBytes()) ?? [] }
}
