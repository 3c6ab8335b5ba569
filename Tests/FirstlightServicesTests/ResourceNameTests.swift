import CaptureCore
import Testing

@testable import FirstlightServices

@Suite struct ResourceNameTests {
  @Test func readsTheID() throws {
    #expect(try ResourceName.id(in: "devices/synthetic-0", "devices", field: "name") == "synthetic-0")
  }

  @Test(arguments: ["", "devices", "devices/", "/x", "sessions/x", "devices/a/b", "devices//", "x/devices/y"])
  func refusesEverythingElse(name: String) {
    #expect {
      try ResourceName.id(in: name, "devices", field: "name")
    } throws: { error in
      (error as? CaptureError)?.reason == .invalidArgument && (error as? CaptureError)?.field == "name"
    }
  }

  @Test func pagesCoverEverythingOnce() throws {
    let items = Array(0..<250)
    var seen: [Int] = []
    var token = ""
    repeat {
      let (page, next) = try Paging.page(of: items, size: 60, token: token)
      #expect(page.count <= 60)
      seen += page
      token = next
    } while !token.isEmpty
    #expect(seen == items)
    #expect(try Paging.page(of: items, size: 0, token: "").page.count == 100)
    #expect(try Paging.page(of: items, size: 5, token: "9223372036854775807").page.isEmpty)
  }

  @Test(arguments: [(-1, ""), (5, "x"), (5, "-3")])
  func refusesForeignTokens(size: Int32, token: String) {
    #expect(throws: CaptureError.self) { try Paging.page(of: [1], size: size, token: token) }
  }
}
