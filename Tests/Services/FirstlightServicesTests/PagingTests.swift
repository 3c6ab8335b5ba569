import CaptureCore
import Testing

@testable import FirstlightServices

/// Lists that clients read page by page.
struct PagingTests {
  private static func page(
    _ items: [UInt64], _ size: Int32 = 0, _ token: String = "", query: String = "q"
  ) throws(CaptureError) -> (page: [UInt64], next: String) {
    try Paging.page(of: items, by: Paging.key, size: size, token: token, query: query)
  }

  /// All pages together have each item once and in order, and no page has more than 100 items.
  @Test func pagesCoverEverythingOnceInOrder() throws {
    let items = Array(0..<250 as Range<UInt64>)
    var seen: [UInt64] = []
    var token = ""
    repeat {
      let (page, next) = try Self.page(items.shuffled(), 60, token)
      #expect(page.count <= 60)
      seen += page
      token = next
    } while !token.isEmpty
    #expect(seen == items)
    #expect(try Self.page(items).page.count == 100)
    #expect(try Self.page(items, .max).page.count == 100)
  }

  /// The next page begins after the last item of the page before, even when that item is gone.
  @Test func itemsThatComeAndGoDoNotMoveOthers() throws {
    let (first, token) = try Self.page([2, 4, 6, 8, 10], 2)
    #expect(first == [2, 4])
    // The last item of the page is gone, and other items came before and after it.
    #expect(try Self.page([1, 2, 3, 5, 6, 8, 10], 2, token).page == [5, 6])
    #expect(try Self.page([2], 2, token) == ([], ""))
  }

  /// In a list that begins with the newest item, items that come meanwhile are on no later page.
  @Test func aDescendingListGoesOnWhereItWas() throws {
    func page(_ items: [UInt64], _ token: String = "") throws -> (page: [UInt64], next: String) {
      try Paging.page(of: items, by: Paging.key, isDescending: true, size: 2, token: token, query: "q")
    }
    let (first, token) = try page([6, 2, 10, 4, 8])
    #expect(first == [10, 8])
    #expect(try page([2, 4, 6, 8, 10, 12, 14], token).page == [6, 4])
    // The last item of the page is gone.
    let (second, next) = try page([2, 4, 6, 12], token)
    #expect(second == [6, 4])
    #expect(try page([2, 4, 6, 12], next) == ([2], ""))
  }

  /// A client that follows tokens does not ask for an empty page at the end.
  @Test func aFullLastPageHasNoNextToken() throws {
    #expect(try Self.page([1, 2], 2).next.isEmpty)
    #expect(try Self.page([], 2) == ([], ""))
  }

  /// With a token of another query, a client would miss items, so such a token is refused.
  @Test func aTokenIsValidForOneQueryOnly() throws {
    let token = try Self.page([1, 2, 3], 2).next
    let error = #expect(throws: CaptureError.self) { try Self.page([1, 2, 3], 2, token, query: "other") }
    #expect(error?.field == "page_token")
  }

  @Test(arguments: [(-1, ""), (5, "x"), (5, "-3"), (5, "1"), (5, "cSAx")])
  func invalidSizesAndTokensAreRefused(size: Int32, token: String) {
    #expect(throws: CaptureError.self) { try Self.page([1], size, token) }
  }
}
