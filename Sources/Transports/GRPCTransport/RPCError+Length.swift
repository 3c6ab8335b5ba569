internal import GoogleRPC

/// Errors repeat what the caller sent, and a caller may send megabytes. The status travels twice in the trailing metadata,
/// for which clients take 8 KiB by default: above it they see an error of their own instead of ours.
extension RPCError {
  /// Of the message, of each value of an `ErrorInfo` and of each description of a field violation.
  static let longestText = (message: 512, value: 256, description: 256)
  /// Values of an `ErrorInfo` and field violations kept; no error of ours has as many.
  static let mostDetails = 8

  /// The same error with every text cut to what trailing metadata has room for. What fits stays as it is.
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
  /// Itself, or its beginning and an ellipsis in at most `limit` bytes of UTF-8. Cut between scalars, not characters:
  /// one character may have any number of combining marks.
  func cut(to limit: Int) -> String {
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
