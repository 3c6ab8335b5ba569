import CaptureCore
import Testing

@testable import FirstlightServices

/// The id in the name of a resource, such as `devices/synthetic-0`.
@Suite struct ResourceNameTests {
  @Test func theIDIsReadFromAName() throws {
    #expect(try ResourceName.id(in: "devices/synthetic-0", "devices", field: "name") == "synthetic-0")
  }

  @Test(arguments: ["", "devices", "devices/", "/x", "sessions/x", "devices/a/b", "devices//", "x/devices/y"])
  func otherNamesAreRefused(name: String) {
    #expect {
      try ResourceName.id(in: name, "devices", field: "name")
    } throws: { error in
      (error as? CaptureError)?.reason == .invalidArgument && (error as? CaptureError)?.field == "name"
    }
  }
}
