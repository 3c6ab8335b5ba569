/// A value of a control, in one of the forms that the kinds of controls take.
public enum ControlValue: Hashable, Sendable {
  /// A number, the index of a menu item, or the bits of a bitmask. Setting a boolean control also accepts 0 and 1, and
  /// setting a button accepts any number.
  case integer(Int64)
  case boolean(Bool)
  case text(String)
  /// All elements of an array, in the byte order of the machine.
  case elements([UInt8])

  /// The type of the value, in words for people.
  var typeName: String {
    switch self {
    case .integer: "an integer"
    case .boolean: "a boolean"
    case .text: "a string"
    case .elements: "an array"
    }
  }

  /// Whether both values mean the same to a control; the integer 1 and true do, for example.
  public func means(_ other: ControlValue) -> Bool {
    switch (self, other) {
    case (.integer(let number), .boolean(let isOn)), (.boolean(let isOn), .integer(let number)):
      number == (isOn ? 1 : 0)
    default: self == other
    }
  }
}
