#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Encodable {
  /// Returns the value as JSON text, with the keys of each object in alphabetical order.
  ///
  /// - Parameter fallback: the text for a value that cannot be encoded. The values of Connect can all be encoded, since
  ///   they consist of texts, finite numbers, booleans, arrays and objects.
  func connectJSON(fallback: String) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { Array($0) } ?? Array(fallback.utf8)
  }
}
