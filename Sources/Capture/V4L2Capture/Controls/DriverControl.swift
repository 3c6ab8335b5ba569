internal import CV4L2
internal import CaptureCore

/// The answer to VIDIOC_QUERY_EXT_CTRL: a control, and the sizes and flags that reading and setting the control needs.
struct DriverControl: Hashable {
  /// The control without its value and without the items of its menu.
  var control: Control
  /// Bytes of the present value when the value needs a payload; nil when the value fits into `v4l2_ext_control`.
  var payloadSize: Int?
  /// The most bytes that the value may have: more than `payloadSize` for an array of changing length.
  var largestPayload: Int
  var isWriteOnly: Bool

  /// A payload of this many bytes or more is not accepted; no real control comes near this size. The limit keeps a
  /// driver's wrong numbers from exhausting memory and from overflowing the arithmetic.
  private static let limit = 1 << 20

  /// Nil for the headline of a control class, and for a control that the driver has disabled.
  init?(_ query: v4l2_query_ext_ctrl) {
    func has(_ flag: Int32) -> Bool { query.flags & UInt32(bitPattern: flag) != 0 }
    guard query.type != V4L2_CTRL_TYPE_CTRL_CLASS.rawValue, !has(V4L2_CTRL_FLAG_DISABLED) else { return nil }
    let name = String(fixedArray: query.name)
    let id = Control.id(ofName: name)
    var control = Control(
      id: id.isEmpty ? "0x" + String(query.id, radix: 16) : id, displayName: name, v4l2ID: query.id,
      kind: Control.Kind(query.type),
      minimum: query.minimum, maximum: query.maximum, step: query.step, defaultValue: query.default_value)
    if control.kind == .bitmask {
      // Some drivers extend the sign of the highest bit to 64 bits, others do not.
      control.range.maximum &= 0xffff_ffff
      control.defaultValue &= 0xffff_ffff
    }
    let dimensions = [query.dims.0, query.dims.1, query.dims.2, query.dims.3]
    control.dimensions = Array(dimensions.prefix(Int(query.nr_of_dims)))
    control.isDynamicArray = has(V4L2_CTRL_FLAG_DYNAMIC_ARRAY)
    control.flags.isReadOnly = has(V4L2_CTRL_FLAG_READ_ONLY)
    control.flags.isInactive = has(V4L2_CTRL_FLAG_INACTIVE)
    control.flags.isGrabbed = has(V4L2_CTRL_FLAG_GRABBED)
    control.flags.isVolatile = has(V4L2_CTRL_FLAG_VOLATILE)
    // The driver may give a matrix of one element without dimensions.
    if control.elementSize > 0, control.dimensions.isEmpty { control.dimensions = [max(1, query.elems)] }
    payloadSize = has(V4L2_CTRL_FLAG_HAS_PAYLOAD) ? Self.product(query.elem_size, query.elems) : nil
    largestPayload = Self.product([query.elem_size] + control.dimensions)
    isWriteOnly = has(V4L2_CTRL_FLAG_WRITE_ONLY)
    let isArray = control.elementSize > 0
    // A control of kind `unknown` is neither read nor set. That is safer for a control whose shape does not match its
    // type: an array without payload or with elements of another size, or a single value with dimensions.
    if isArray ? payloadSize == nil || Int(query.elem_size) != control.elementSize : !control.dimensions.isEmpty {
      control.kind = .unknown
    }
    if (control.kind == .string) != (payloadSize != nil), !isArray { control.kind = .unknown }
    if max(payloadSize ?? 0, largestPayload) >= Self.limit { control.kind = .unknown }
    self.control = control
  }

  private static func product(_ factors: UInt32...) -> Int { product(factors) }

  /// The product of `factors`, or ``limit`` when the product is larger.
  private static func product(_ factors: [UInt32]) -> Int {
    factors.reduce(1) { min($0 * min(Int($1), limit), limit) }
  }

  /// Whether the control has a value that the daemon can read.
  var isReadable: Bool { !isWriteOnly && control.kind != .button && control.kind != .unknown }

  /// The value in the union of `raw`, for a control without payload.
  func value(_ raw: v4l2_ext_control) -> ControlValue {
    switch control.kind {
    case .boolean: .boolean(raw.value != 0)
    case .integer64: .integer(raw.value64)
    case .bitmask: .integer(Int64(UInt32(bitPattern: raw.value)))
    default: .integer(Int64(raw.value))
    }
  }

  /// The value in `payload`, for a control with payload.
  func value(_ payload: [UInt8]) -> ControlValue {
    control.kind == .string ? .text(String(decoding: payload.prefix { $0 != 0 }, as: UTF8.self)) : .elements(payload)
  }

  /// The payload that sets `value`, which must be checked already. Nil when `value` goes into the union of
  /// `v4l2_ext_control`.
  func payload(_ value: ControlValue) -> [UInt8]? {
    switch value {
    case .text(let text): Array(text.utf8) + [0]
    case .elements(let bytes): bytes
    case .integer, .boolean: nil
    }
  }
}

extension Control.Kind {
  init(_ type: UInt32) {
    switch type {
    case V4L2_CTRL_TYPE_INTEGER.rawValue: self = .integer
    case V4L2_CTRL_TYPE_BOOLEAN.rawValue: self = .boolean
    case V4L2_CTRL_TYPE_MENU.rawValue: self = .menu
    case V4L2_CTRL_TYPE_INTEGER_MENU.rawValue: self = .integerMenu
    case V4L2_CTRL_TYPE_BUTTON.rawValue: self = .button
    case V4L2_CTRL_TYPE_INTEGER64.rawValue: self = .integer64
    case V4L2_CTRL_TYPE_STRING.rawValue: self = .string
    case V4L2_CTRL_TYPE_BITMASK.rawValue: self = .bitmask
    case V4L2_CTRL_TYPE_U8.rawValue: self = .u8
    case V4L2_CTRL_TYPE_U16.rawValue: self = .u16
    case V4L2_CTRL_TYPE_U32.rawValue: self = .u32
    default: self = .unknown
    }
  }
}
