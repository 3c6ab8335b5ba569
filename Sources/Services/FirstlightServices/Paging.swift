internal import CaptureCore
internal import FoundationEssentials

/// Cuts a list into pages.
///
/// A token names the last item of its page by what the list is ordered by, so the next page begins after that one, whatever came
/// or went meanwhile. It also names the query, so that it is refused with other filters or by another method.
enum Paging {
  static let maximum = 100

  /// - Parameters:
  ///   - items: in any order.
  ///   - key: orders the items; no two have the same.
  ///   - query: the method and its filters.
  /// - Throws: `invalidArgument` for a negative size or a token that is not of this query.
  static func page<Item>(
    of items: [Item], by key: (Item) -> String, size: Int32, token: String, query: String
  ) throws(CaptureError) -> (page: [Item], next: String) {
    guard size >= 0 else {
      throw CaptureError(
        .invalidArgument, "A page size of \(size) is negative.", metadata: ["page_size": "\(size)"], field: "page_size")
    }
    let after = token.isEmpty ? nil : try lastKey(token, of: query)
    let count = size == 0 ? maximum : min(Int(size), maximum)
    let keyed = items.map { (key: key($0), item: $0) }.sorted { $0.key < $1.key }
    let rest = keyed.filter { entry in after.map { entry.key > $0 } ?? true }
    let page = rest.prefix(count)
    return (page.map(\.item), rest.count > count ? Self.token(page.last?.key ?? "", of: query) : "")
  }

  /// Orders `number` as a key: keys are compared as text.
  static func key(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 20 - digits.count) + digits
  }

  private static func token(_ key: String, of query: String) -> String {
    Data("\(hash(query)) \(key)".utf8).base64EncodedString()
  }

  private static func lastKey(_ token: String, of query: String) throws(CaptureError) -> String {
    let text = Data(base64Encoded: token).flatMap { String(bytes: $0, encoding: .utf8) }
    guard let text, text.hasPrefix("\(hash(query)) ") else {
      throw CaptureError(
        .invalidArgument, "This page token is not from a previous answer to the same request; begin without one.",
        metadata: ["page_token": String(token.prefix(40))], field: "page_token")
    }
    return String(text.dropFirst("\(hash(query)) ".count))
  }

  /// FNV-1a, 64 bits: the same in every run.
  private static func hash(_ text: String) -> String {
    String(text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}
