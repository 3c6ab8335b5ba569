import CaptureCore
import Testing

@Suite struct DeviceIDTests {
  @Test(arguments: [
    ("046D-0825-A1B2", "046d-0825-a1b2"), ("usb-0000:00:14.0-1.2", "usb-0000-00-14.0-1.2"), ("a b/ü", "a-b---"),
    ("x_y", "x_y"),
  ])
  func spelling(_ text: String, _ id: String) { #expect(DeviceID.make(text) == id) }

  @Test func longTextsStayDifferentAndShort() {
    let long = String(repeating: "serial", count: 20)
    let (a, b) = (DeviceID.make(long + "1"), DeviceID.make(long + "2"))
    #expect(a != b)
    #expect(a.utf8.count <= 63 && b.utf8.count <= 63)
    #expect(a == DeviceID.make(long + "1"))
  }

  @Test(arguments: ["door", "046d-0825-a1b2c3", "0", "a.b_c-d", String(repeating: "a", count: 63)])
  func whatAPersonMayChoose(_ id: String) { #expect(DeviceID.isValid(id)) }

  @Test(arguments: [
    "", "Door", "-door", ".", "_a", "a b", "a/b", "tür", "devices/door", String(repeating: "a", count: 64),
  ])
  func whatNobodyMayChoose(_ id: String) { #expect(!DeviceID.isValid(id)) }

  @Test func whatIsTakenGetsANumber() {
    #expect(DeviceID.unused("door", []) == "door")
    #expect(DeviceID.unused("door", ["door", "door_2"]) == "door_3")
    let long = String(repeating: "a", count: 63)
    #expect(DeviceID.unused(long, [long]).utf8.count == 63)
  }
}
