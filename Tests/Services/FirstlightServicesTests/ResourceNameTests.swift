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
}
