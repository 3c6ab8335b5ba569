/// A value of a control, by its kind.
public enum ControlValue: Hashable, Sendable {
  /// Numbers, the index of menus, the bits of bitmasks. 0 and 1 do for booleans, anything for buttons.
  case integer(Int64)
  case boolean(Bool)
  case text(String)
  /// Every element of an array, in the machine's byte order.
  case elements([UInt8])

  /// The kind of value, for people.
  var typeName: String {
    switch self {
    case .integer: "an integer"
    case .boolean: "a boolean"
    case .text: "a string"
    case .elements: "an array"
    }
  }

  /// True when both values mean the same to a control, as 1 and true do.
  public func means(_ other: ControlValue) -> Bool {
    switch (self, other) {
    case (.integer(let number), .boolean(let isOn)), (.boolean(let isOn), .integer(let number)):
      number == (isOn ? 1 : 0)
    default: self == other
    }
  }
}
