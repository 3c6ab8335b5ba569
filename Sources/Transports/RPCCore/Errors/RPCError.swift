package import GoogleRPC
public import SwiftProtobuf

/// The reason for which an RPC failed, in the form that the client gets.
public struct RPCError: Error, Sendable {
  /// The status code.
  public var code: Code
  /// A sentence for people that says why the call failed.
  public var message: String
  /// The messages that the transport packs into `google.rpc.Status.details`. The executor adds an `ErrorInfo` to an
  /// error that has none, and the server's domain to an `ErrorInfo` without a domain.
  public var details: [any SwiftProtobuf.Message]

  /// Makes an error with exactly these details. The other initializer makes the usual details itself.
  public init(code: Code, message: String, details: [any SwiftProtobuf.Message]) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// Makes an error with an `ErrorInfo`, with a `BadRequest` when there are field violations, and with a `RetryInfo`
  /// when there is a retry delay.
  ///
  /// - Parameters:
  ///   - code: the status code.
  ///   - message: a sentence for people that says why the call failed.
  ///   - reason: the `ErrorInfo.reason` in upper snake case, which never changes once it is released. Nil stands for
  ///     the name of the code.
  ///   - domain: the `ErrorInfo.domain`. An empty domain stands for the server's domain.
  ///   - metadata: every value that the message mentions, under the name of the value.
  ///   - fieldViolations: the fields of the request that are wrong, as paths such as `configuration.inputs[0].device`,
  ///     each with a description.
  ///   - retryDelay: the time after which another try may succeed. Nil when waiting does not help.
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

  /// The error of a call that the server cuts short because the server is shutting down. The error asks the client to
  /// try again after a second, because a new server may run by then.
  static var shuttingDown: RPCError {
    RPCError(.unavailable, "The server is shutting down.", reason: "SHUTTING_DOWN", retryDelay: .seconds(1))
  }

  /// The error of a request that is larger than the call accepts.
  package static func requestTooLarge(bytes: Int, limit: Int) -> RPCError {
    RPCError(
      .resourceExhausted, "The request of \(bytes) bytes is over the limit of \(limit) bytes.",
      reason: "REQUEST_TOO_LARGE", metadata: ["size": "\(bytes)", "limit": "\(limit)"])
  }

  /// The error of a request that is so large that the server has not received all of it.
  package static func requestTooLarge(limit: Int) -> RPCError {
    RPCError(
      .resourceExhausted, "The request is far over the limit of \(limit) bytes; send less at once.",
      reason: "REQUEST_TOO_LARGE", metadata: ["limit": "\(limit)"])
  }

  /// The reason in the `ErrorInfo`. Nil when the error has no `ErrorInfo`.
  public var reason: String? { errorInfo?.reason }

  /// The time after which another try may succeed. Nil when waiting does not help.
  package var retryDelay: Duration? {
    details.lazy.compactMap { $0 as? Google_Rpc_RetryInfo }.first.map {
      .seconds($0.retryDelay.seconds) + .nanoseconds($0.retryDelay.nanos)
    }
  }

  /// The first `ErrorInfo` of the details. Nil when the details contain none.
  package var errorInfo: Google_Rpc_ErrorInfo? { details.lazy.compactMap { $0 as? Google_Rpc_ErrorInfo }.first }
}

extension RPCError: CustomStringConvertible {
  public var description: String { "\(code) (\(reason ?? "no reason")): \(message)" }
}

extension RPCError {
  /// A plain sentence about an error that nobody expected, for the log: the error's own description, or its name. Its
  /// values are left out, because they may be long and are written for no reader.
  public static func sentence(about error: any Error) -> String {
    if let told = (error as Any) as? any CustomStringConvertible { return told.description }
    let isCase = Mirror(reflecting: error).displayStyle == .enum && Mirror(reflecting: error).children.isEmpty
    return "The error \(type(of: error))\(isCase ? ".\(error)" : "") was thrown."
  }
}
