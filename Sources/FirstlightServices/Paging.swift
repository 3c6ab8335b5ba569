internal import CaptureCore

/// Cuts a list into pages. Tokens are the position of the next item.
enum Paging {
  static let maximum = 100

  /// - Throws: `invalidArgument` for a negative size or a token this service did not make.
  static func page<Item>(
    of items: [Item], size: Int32, token: String
  ) throws(CaptureError) -> (page: ArraySlice<Item>, next: String) {
    guard size >= 0 else {
      throw CaptureError(
        .invalidArgument, "A page size of \(size) is negative.", metadata: ["page_size": "\(size)"], field: "page_size")
    }
    guard let start = token.isEmpty ? 0 : Int(token), start >= 0 else {
      throw CaptureError(
        .invalidArgument, "This page token is not from a previous answer.",
        metadata: ["page_token": String(token.prefix(40))], field: "page_token")
    }
    let count = size == 0 ? maximum : min(Int(size), maximum)
    let end = start.addingReportingOverflow(count)
    let page = items[min(start, items.count)..<min(end.overflow ? items.count : end.partialValue, items.count)]
    return (page, page.endIndex < items.count ? "\(page.endIndex)" : "")
  }
}
