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

/// Limits the length of an error. An error repeats text that the client sent, and a client may send megabytes. gRPC
/// sends the status twice in the trailing metadata, and clients accept 8 KiB of trailing metadata by default. A client
/// that receives more reports an error of its own instead of the server's error.
extension RPCError {
  /// The longest texts that an error keeps, in bytes of UTF-8: its message, each value of its `ErrorInfo`, and the
  /// description of each field violation.
  private static let longestText = (message: 512, value: 256, description: 256)
  /// The largest number of values in an `ErrorInfo`, and of field violations, that an error keeps. The errors that the
  /// daemon itself makes all have fewer.
  private static let mostDetails = 8

  /// Returns the error with its texts and its details cut so that the error fits into trailing metadata. Texts that are
  /// short enough stay unchanged.
  func shortened() -> RPCError {
    var copy = self
    copy.message = message.cut(to: Self.longestText.message)
    copy.details = details.map { detail in
      switch detail {
      case var info as Google_Rpc_ErrorInfo:
        let kept = info.metadata.sorted { $0.key < $1.key }.prefix(Self.mostDetails)
        info.metadata = Dictionary(uniqueKeysWithValues: kept.map { ($0, $1.cut(to: Self.longestText.value)) })
        return info
      case var request as Google_Rpc_BadRequest:
        request.fieldViolations = request.fieldViolations.prefix(Self.mostDetails).map { violation in
          var violation = violation
          violation.description_p = violation.description_p.cut(to: Self.longestText.description)
          return violation
        }
        return request
      default: return detail
      }
    }
    return copy
  }
}

extension String {
  /// Returns the text unchanged when it has at most `limit` bytes of UTF-8, otherwise its beginning and an ellipsis,
  /// `limit` bytes at most. The cut is between two Unicode scalars and not between two characters, because a single
  /// character may contain any number of combining marks.
  fileprivate func cut(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    let ellipsis = "…"
    var end = unicodeScalars.startIndex
    var room = limit - ellipsis.utf8.count
    while room >= UTF8.width(unicodeScalars[end]) {
      room -= UTF8.width(unicodeScalars[end])
      end = unicodeScalars.index(after: end)
    }
    return String(unicodeScalars[..<end]) + ellipsis
  }
}
