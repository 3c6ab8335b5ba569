#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension [UInt8] {
  /// The bytes as base64 text with padding. The text form of gRPC-Web consists of such texts, each with its own
  /// padding.
  var base64: String { Data(self).base64EncodedString() }

  /// The bytes as base64 text without padding, as fields of HTTP have it.
  var unpaddedBase64: String { String(base64.prefix { $0 != "=" }) }
}
