internal import GoogleRPC

/// Errors repeat what the client sent, and a client may send megabytes. gRPC sends the status twice in the trailing
/// metadata, for which clients take 8 KiB by default. A client that gets more reports an error of its own instead of
/// ours.
extension RPCError {
  /// How many bytes are kept of the message, of each value of an `ErrorInfo` and of each description of a field
  /// violation.
  private static let longestText = (message: 512, value: 256, description: 256)
  /// How many values of an `ErrorInfo` and how many field violations are kept. No error of the daemon's own has as
  /// many.
  private static let mostDetails = 8

  /// Returns the error with every text cut to what trailing metadata has room for. Texts that fit stay as they are.
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
  /// Returns the text itself or, when it is longer than `limit` bytes of UTF-8, its beginning and an ellipsis. It is
  /// cut between scalars and not between characters, because one character may have any number of combining marks.
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
