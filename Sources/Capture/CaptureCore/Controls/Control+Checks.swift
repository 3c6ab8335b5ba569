extension Control.Kind {
  /// The name of the kind in the contract and in V4L2, for example `INTEGER_MENU`.
  fileprivate var name: String { self == .integerMenu ? "INTEGER_MENU" : "\(self)".uppercased() }

  /// The type of value that a control of this kind takes, in words for people.
  fileprivate var valueName: String {
    switch self {
    case .boolean: "a boolean"
    case .string: "a string"
    case .u8, .u16, .u32: "an array"
    case .integer, .menu, .integerMenu, .button, .integer64, .bitmask, .unknown: "an integer"
    }
  }
}

extension Control {
  /// Checks whether a client can set the control now.
  ///
  /// - Parameter deviceID: the id of the control's camera, which the errors name.
  /// - Throws: `controlReadOnly` for a control that can only be read; `unsupportedValue` for a control of a type that
  ///   the daemon does not know; `controlGrabbed` and `controlInactive` when ``Flags/isGrabbed`` or
  ///   ``Flags/isInactive`` is true.
  public func checkSettable(on deviceID: String) throws(CaptureError) {
    let metadata = ["device": deviceID, "control": id]
    if flags.isReadOnly { throw .readOnly(control: id, device: deviceID) }
    if kind == .unknown {
      throw CaptureError(
        .unsupportedValue, "The type of \(id) is not understood here, so it cannot be set.", metadata: metadata)
    }
    if flags.isGrabbed { throw .grabbed(control: id, device: deviceID) }
    if flags.isInactive {
      throw CaptureError(
        .controlInactive, "\(id) has no effect now, because another control governs it; set that one first.",
        metadata: metadata)
    }
  }

  /// Checks `value` and brings it into the form of the control's kind: the integer 1 becomes true for a boolean
  /// control, for example, and any value becomes 0 for a button.
  ///
  /// A number between two steps passes the check, because drivers round numbers to their steps. A string must have a
  /// length on the steps.
  ///
  /// - Parameter deviceID: the id of the control's camera, which the errors name.
  /// - Throws: `unsupportedValue` for a value outside the control's range, menu, bits or length; `controlWrongType` for
  ///   a value of the wrong type.
  public func checked(_ value: ControlValue, on deviceID: String) throws(CaptureError) -> ControlValue {
    switch (kind, value) {
    case (.button, _):
      return .integer(0)
    case (.boolean, .boolean), (.boolean, .integer(0)), (.boolean, .integer(1)):
      return .boolean(value == .boolean(true) || value == .integer(1))
    case (.boolean, .integer(let number)):
      throw unsupported("\(number)", "it must be 0 or 1", deviceID)
    case (.integer, .integer(let number)), (.integer64, .integer(let number)):
      guard range.contains(number) else {
        throw unsupported("\(number)", "it must be from \(range.minimum) to \(range.maximum)", deviceID)
      }
    case (.menu, .integer(let index)), (.integerMenu, .integer(let index)):
      guard menuItems.contains(where: { $0.index == index }) else {
        throw unsupported("\(index)", "it must be one of \(menuItems.map(\.index))", deviceID)
      }
    case (.bitmask, .integer(let bits)):
      guard bits & ~range.maximum == 0 else {
        throw unsupported("\(bits)", "only the bits of \(range.maximum) may be set", deviceID)
      }
    case (.string, .text(let text)):
      let length = Int64(text.utf8.count)
      guard range.contains(length), !text.utf8.contains(0),
        range.step <= 1 || UInt64(bitPattern: length &- range.minimum) % range.step == 0
      else {
        throw unsupported(
          String(text.prefix(40)),
          "it must have \(range.minimum) to \(range.maximum) bytes in steps of \(max(1, range.step))", deviceID)
      }
    case (.u8, .elements(let bytes)), (.u16, .elements(let bytes)), (.u32, .elements(let bytes)):
      try check(elements: bytes, deviceID)
    default:
      throw CaptureError(
        .controlWrongType, "\(id) is of type \(kind.name) and takes \(kind.valueName), not \(value.typeName).",
        metadata: ["device": deviceID, "control": id, "type": kind.name, "value_type": value.typeName])
    }
    return value
  }

  /// Bytes of one element of an array; 0 for a control that is not an array.
  public var elementSize: Int {
    switch kind {
    case .u8: 1
    case .u16: 2
    case .u32: 4
    default: 0
    }
  }

  private func check(elements bytes: [UInt8], _ deviceID: String) throws(CaptureError) {
    let most = dimensions.reduce(1) { $0 * Int($1) } * elementSize
    let isWhole = isDynamicArray ? bytes.count % elementSize == 0 && (elementSize...most).contains(bytes.count) : false
    guard bytes.count == most || isWhole else {
      throw unsupported(
        "\(bytes.count) bytes", "it must have \(most) bytes\(isDynamicArray ? " or fewer" : "")", deviceID)
    }
    for offset in stride(from: 0, to: bytes.count, by: elementSize) {
      let element = bytes.withUnsafeBytes { memory -> Int64 in
        switch kind {
        case .u16: Int64(memory.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        case .u32: Int64(memory.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        default: Int64(memory[offset])
        }
      }
      guard range.contains(element) else {
        throw unsupported("element \(element)", "each must be from \(range.minimum) to \(range.maximum)", deviceID)
      }
    }
  }

  private func unsupported(_ value: String, _ rule: String, _ deviceID: String) -> CaptureError {
    .unsupported(value: value, of: id, device: deviceID, rule: rule)
  }
}

extension CaptureError {
  /// The `controlNotFound` error for a camera that does not have the control.
  ///
  /// - Parameter id: the id that the client named; the error shows at most its first 80 characters.
  public static func notFound(control id: String, device deviceID: String) -> CaptureError {
    CaptureError(
      .controlNotFound, "\(deviceID) has no control \(id.prefix(80)); GetDevice lists those it has.",
      metadata: ["device": deviceID, "control": String(id.prefix(80))])
  }

  /// The `controlReadOnly` error for a control that can never be set.
  public static func readOnly(control id: String, device deviceID: String) -> CaptureError {
    CaptureError(
      .controlReadOnly, "\(id) can only be read.", metadata: ["device": deviceID, "control": id])
  }

  /// The `controlGrabbed` error for a control that cannot be set at present, usually because a session runs its
  /// camera.
  public static func grabbed(control id: String, device deviceID: String) -> CaptureError {
    CaptureError(
      .controlGrabbed, "\(id) cannot be set now; stop the session that runs \(deviceID) first.",
      metadata: ["device": deviceID, "control": id])
  }

  /// The `unsupportedValue` error for a value that the control does not take.
  ///
  /// - Parameters:
  ///   - value: the refused value, as text.
  ///   - rule: the values that the control takes, as the end of a sentence, for example `it must be 0 or 1`.
  public static func unsupported(
    value: String, of control: String, device deviceID: String, rule: String
  ) -> CaptureError {
    CaptureError(
      .unsupportedValue, "\(control) cannot be \(value); \(rule).",
      metadata: ["device": deviceID, "control": control, "value": value])
  }
}
