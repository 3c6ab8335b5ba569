internal import CaptureCore
internal import FoundationEssentials

/// Cuts a list into pages.
///
/// A page token contains the key of the last item on its page. The next page begins after that key, whatever items were
/// added or removed in between. The token also contains a hash of the query, so that it is refused with other filters
/// and by another method.
enum Paging {
  /// The largest number of items on a page, and the number when the client names none.
  static let maximum = 100

  /// Returns the page of `items` that a client asks for.
  ///
  /// - Parameters:
  ///   - items: all items of the list, in any order.
  ///   - key: gives an item's key, by which the list is ordered. No two items have the same key.
  ///   - isDescending: whether the item with the largest key comes first.
  ///   - size: the largest number of items on the page; 0, and every number above ``maximum``, means ``maximum``.
  ///   - token: the token of the page, from the previous page; empty for the first page.
  ///   - query: the name of the method and its filters.
  /// - Returns: the page, ordered by key, and the token of the next page, which is empty on the last page.
  /// - Throws: `invalidArgument` for a negative size, and for a token of another query.
  static func page<Item>(
    of items: [Item], by key: (Item) -> String, isDescending: Bool = false, size: Int32, token: String, query: String
  ) throws(CaptureError) -> (page: [Item], next: String) {
    let count = try count(size)
    let after = try lastKey(token, of: query)
    func precedes(_ first: String, _ second: String) -> Bool { isDescending ? first > second : first < second }
    let keyed = items.map { (key: key($0), item: $0) }.sorted { precedes($0.key, $1.key) }
    let rest = keyed.filter { entry in after.map { precedes($0, entry.key) } ?? true }
    let page = rest.prefix(count)
    return (page.map(\.item), rest.count > count ? Self.token(page.last?.key ?? "", of: query) : "")
  }

  /// Returns a key that orders items by `number`. Keys are compared as text, so the number is padded with zeros to 20
  /// digits, the length of the largest `UInt64`.
  static func key(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 20 - digits.count) + digits
  }

  /// The number of items on a page for which a client asks by `size`.
  ///
  /// - Throws: `invalidArgument` for a negative size.
  static func count(_ size: Int32) throws(CaptureError) -> Int {
    guard size >= 0 else {
      throw CaptureError(
        .invalidArgument, "A page size of \(size) is negative.", metadata: ["page_size": "\(size)"], field: "page_size")
    }
    return size == 0 ? maximum : min(Int(size), maximum)
  }

  /// The token of the page behind the item with this key.
  static func token(_ key: String, of query: String) -> String {
    Data("\(hash(query)) \(key)".utf8).base64EncodedString()
  }

  /// The key of the last item before the page of a token. Nil for the empty token of the first page.
  ///
  /// - Throws: `invalidArgument` for a token of another query.
  static func lastKey(_ token: String, of query: String) throws(CaptureError) -> String? {
    if token.isEmpty { return nil }
    let text = Data(base64Encoded: token).flatMap { String(bytes: $0, encoding: .utf8) }
    guard let text, text.hasPrefix("\(hash(query)) ") else { throw isForeign(token) }
    return String(text.dropFirst("\(hash(query)) ".count))
  }

  /// The error for a token that is not of the query.
  static func isForeign(_ token: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "This page token is not from a previous answer to the same request; begin without one.",
      metadata: ["page_token": String(token.prefix(40))], field: "page_token")
  }

  /// Returns the FNV-1a hash with 64 bits of `text`, in hexadecimal. Unlike Swift's own hashes it is the same in every
  /// run, so that a token stays valid when the daemon restarts.
  private static func hash(_ text: String) -> String {
    String(text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}
