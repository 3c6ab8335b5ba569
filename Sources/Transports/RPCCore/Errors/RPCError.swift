package import GoogleRPC
public import SwiftProtobuf

/// Why an RPC failed, as the client sees it.
public struct RPCError: Error, Sendable {
  public var code: Code
  /// Says in one sentence, for people, what is wrong.
  public var message: String
  /// What the transport packs into `google.rpc.Status.details`. The executor adds an `ErrorInfo` to an error that has
  /// none, and the server's domain to an `ErrorInfo` that has none.
  public var details: [any SwiftProtobuf.Message]

  public init(code: Code, message: String, details: [any SwiftProtobuf.Message]) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// Makes an error with an `ErrorInfo`, with a `BadRequest` if there are violations, and with a `RetryInfo` if waiting
  /// helps.
  ///
  /// - Parameters:
  ///   - reason: `ErrorInfo.reason`, in upper snake case and stable for ever. Nil stands for the code's name.
  ///   - domain: `ErrorInfo.domain`. Empty stands for the server's domain.
  ///   - metadata: every value that the message mentions, by name.
  ///   - fieldViolations: the request fields at fault, as paths such as `configuration.inputs[0].device`.
  ///   - retryDelay: after how long another try may succeed, where waiting helps.
  public init(
    _ code: Code, _ message: String, reason: String? = nil, domain: String = "", metadata: [String: String] = [:],
    fieldViolations: [(field: String, description: String)] = [], retryDelay: Duration? = nil
  ) {
    self.init(code: code, message: message, details: [])
    details.append(
      Google_Rpc_ErrorInfo.with {
        $0.reason = reason ?? code.description
        $0.domain = domain
        $0.metadata = metadata
      })
    if let retryDelay {
      details.append(
        Google_Rpc_RetryInfo.with {
          $0.retryDelay = .with {
            $0.seconds = retryDelay.components.seconds
            $0.nanos = Int32(retryDelay.components.attoseconds / 1_000_000_000)
          }
        })
    }
    guard !fieldViolations.isEmpty else { return }
    details.append(
      Google_Rpc_BadRequest.with {
        $0.fieldViolations = fieldViolations.map { violation in
          .with {
            $0.field = violation.field
            $0.description_p = violation.description
          }
        }
      })
  }

  /// The error of calls that the end of the server cuts short. A new server may run in a moment, so it says to try
  /// again.
  static var shuttingDown: RPCError {
    RPCError(.unavailable, "The server is shutting down.", reason: "SHUTTING_DOWN", retryDelay: .seconds(1))
  }

  /// `ErrorInfo.reason`, if there is one.
  public var reason: String? { errorInfo?.reason }

  package var errorInfo: Google_Rpc_ErrorInfo? { details.lazy.compactMap { $0 as? Google_Rpc_ErrorInfo }.first }
}

extension RPCError: CustomStringConvertible {
  public var description: String { "\(code) (\(reason ?? "no reason")): \(message)" }
}
