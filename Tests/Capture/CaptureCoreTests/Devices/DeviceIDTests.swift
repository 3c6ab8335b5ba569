import CaptureCore
import Testing

/// Tests how device ids are spelled and which ids an operator may choose.
@Suite struct DeviceIDTests {
  /// An id is in lower case, and each byte that an id may not have becomes a dash.
  @Test(arguments: [
    ("046D-0825-A1B2", "046d-0825-a1b2"), ("usb-0000:00:14.0-1.2", "usb-0000-00-14.0-1.2"), ("a b/ü", "a-b---"),
    ("x_y", "x_y"),
  ])
  func idsAreSpelledInLowerCaseWithDashes(_ text: String, _ id: String) { #expect(DeviceID.make(text) == id) }

  /// Two long texts that differ only at their ends give different ids of at most 63 bytes, and the same text always
  /// gives the same id.
  @Test func longTextsStayDifferentAndShort() {
    let long = String(repeating: "serial", count: 20)
    let (a, b) = (DeviceID.make(long + "1"), DeviceID.make(long + "2"))
    #expect(a != b)
    #expect(a.utf8.count <= 63 && b.utf8.count <= 63)
    #expect(a == DeviceID.make(long + "1"))
  }

  /// An operator may choose an id of lower-case letters, digits, dots, dashes and underscores that begins with a letter
  /// or a digit and has at most 63 bytes.
  @Test(arguments: ["door", "046d-0825-a1b2c3", "0", "a.b_c-d", String(repeating: "a", count: 63)])
  func idsThatAnOperatorMayChoose(_ id: String) { #expect(DeviceID.isValid(id)) }

  /// Every other text is refused as an id.
  @Test(arguments: [
    "", "Door", "-door", ".", "_a", "a b", "a/b", "tür", "devices/door", String(repeating: "a", count: 64),
  ])
  func idsThatNoOperatorMayChoose(_ id: String) { #expect(!DeviceID.isValid(id)) }

  /// An id that another camera has gets the lowest free number from 2 on, and a long id is shortened so that the number
  /// fits.
  @Test func aTakenIDGetsANumber() {
    #expect(DeviceID.unused("door", []) == "door")
    #expect(DeviceID.unused("door", ["door", "door_2"]) == "door_3")
    let long = String(repeating: "a", count: 63)
    #expect(DeviceID.unused(long, [long]).utf8.count == 63)
  }
}
