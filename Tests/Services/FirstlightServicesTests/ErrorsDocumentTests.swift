import CaptureCore
import Foundation
import RPCCore
import Testing

@testable import FirstlightServices

/// People act on `docs/errors.md`, so the document must name every reason, with the code that the daemon really gives.
@Suite struct ErrorsDocumentTests {
  private static let rows: [Substring] = {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let text = try? String(contentsOf: root.appending(path: "docs/errors.md"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").filter { $0.hasPrefix("| `") }
  }()

  @Test(arguments: CaptureError.Reason.allCases)
  func everyReasonIsListedWithItsCode(reason: CaptureError.Reason) throws {
    let row = try #require(Self.rows.first { $0.split(separator: "|")[0].contains("`\(reason.rawValue)`") })
    #expect(row.split(separator: "|")[1].contains("`\(ErrorMapping.code(of: reason))`"))
  }

  @Test func noReasonIsListedTwice() {
    let names = Self.rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([A-Z_]+)`/).map(\.output.1) }
    #expect(names.count > CaptureError.Reason.allCases.count, "the transport has reasons of its own")
    #expect(Set(names).count == names.count)
  }
}
