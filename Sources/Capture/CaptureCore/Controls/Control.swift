/// A setting of a camera as V4L2 models it: its range, its present value, and whether a client can set it now.
public struct Control: Hashable, Sendable {
  /// The type of a control, which says how to read its value and its range.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// A signed integer of 32 bits.
    case integer
    case boolean
    /// One of ``Control/menuItems``; each item has a name.
    case menu
    /// One of ``Control/menuItems``; each item stands for a number.
    case integerMenu
    /// An action: the camera carries it out whenever a client sets the control, whatever the value.
    case button
    /// A signed integer of 64 bits.
    case integer64
    case string
    /// A set of up to 32 independent bits.
    case bitmask
    /// An array of unsigned numbers of 8, 16 or 32 bits each.
    case u8, u16, u32
    /// A type that the daemon does not know. The daemon lists such a control, but neither reads nor sets the control.
    case unknown
  }

  /// One choice of a menu.
  public struct MenuItem: Hashable, Sendable {
    /// The value that selects this choice when a client sets the control to it.
    public var index: Int64
    /// The name of the choice, for people; empty in an integer menu.
    public var label: String
    /// The number that the choice stands for in an integer menu; 0 in other menus.
    public var value: Int64

    /// Creates a choice. Give a choice of a menu its `label` and a choice of an integer menu its `value`.
    public init(index: Int64, label: String = "", value: Int64 = 0) {
      self.index = index
      self.label = label
      self.value = value
    }
  }

  /// The values that a control takes.
  public struct Range: Hashable, Sendable {
    /// The smallest value. For an array, the smallest value of each element; for a string, the shortest length in
    /// bytes.
    public var minimum: Int64
    /// The largest value. For an array, the largest value of each element; for a string, the longest length in bytes;
    /// for a bitmask, all bits that exist.
    public var maximum: Int64
    /// The distance between two values, counted from the minimum. Drivers round a value to these steps.
    public var step: UInt64

    /// Returns whether a number lies between the minimum and the maximum. The number need not lie on a step, because
    /// drivers round it.
    func contains(_ number: Int64) -> Bool { minimum <= number && number <= maximum }
  }

  /// The flags by which the driver says what a client can do with a control (`V4L2_CTRL_FLAG_…`).
  public struct Flags: Hashable, Sendable {
    /// Whether clients can only read the control.
    public var isReadOnly = false
    /// Whether another control governs this one at present, so that setting this one has no effect.
    public var isInactive = false
    /// Whether the control cannot be set now, usually because the camera streams.
    public var isGrabbed = false
    /// Whether the camera changes the value by itself.
    public var isVolatile = false

    /// Whether the camera works with the control's value. An inactive control keeps the value that a program once set,
    /// and the camera does not work with it, unless the driver lets the value follow the hardware.
    public var isValueInEffect: Bool { !isInactive || isVolatile }
  }

  /// The control's name as v4l2-ctl prints it, for example `exposure_time_absolute`; unique on its camera.
  public var id: String
  /// The control's name as the driver gives it, for people.
  public var displayName: String
  /// V4L2's number of the control (`V4L2_CID_…`); 0 for a control that has no number in V4L2.
  public var v4l2ID: UInt32
  /// The type of the control, which says how to read its value and its range.
  public var kind: Kind
  /// The values that the control takes; for a menu, the indices of the first and the last choice.
  public var range: Range
  /// The value that the control has after the driver was loaded; for an array, the value of each element. Has no
  /// meaning for strings.
  public var defaultValue: Int64
  /// The choices of a menu or an integer menu; empty for other kinds.
  public var menuItems: [MenuItem] = []
  /// The present value. Nil for a button, for a control that can only be written or whose value could not be read, and
  /// for a control of unknown kind.
  public var value: ControlValue?
  /// The number of elements in each dimension of an array, the slowest-changing dimension first; empty for a single
  /// value.
  public var dimensions: [UInt32] = []
  /// Whether an array may also have fewer elements than ``dimensions`` says.
  public var isDynamicArray = false
  /// What a client can do with the control.
  public var flags = Flags()

  /// Creates a control without a value, a menu or dimensions, which the caller sets afterwards.
  ///
  /// - Parameters: as the properties of the same names, and those of ``range``.
  public init(
    id: String, displayName: String, v4l2ID: UInt32 = 0, kind: Kind, minimum: Int64 = 0, maximum: Int64 = 0,
    step: UInt64 = 1, defaultValue: Int64 = 0
  ) {
    self.id = id
    self.displayName = displayName
    self.v4l2ID = v4l2ID
    self.kind = kind
    range = Range(minimum: minimum, maximum: maximum, step: step)
    self.defaultValue = defaultValue
  }

  /// Makes an id from a driver's name as v4l2-ctl does: in lower case, with one `_` for each run of characters that are
  /// not ASCII letters or digits.
  public static func id(ofName name: String) -> String {
    name.lowercased().utf8.split { !(0x61...0x7a).contains($0) && !(0x30...0x39).contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
  }
}

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

  /// Returns true when a control takes both values for the same one, as it does the integer 1 and true.
  public func means(_ other: ControlValue) -> Bool {
    switch (self, other) {
    case (.integer(let number), .boolean(let isOn)), (.boolean(let isOn), .integer(let number)):
      number == (isOn ? 1 : 0)
    default: self == other
    }
  }
}

/// A request to set one control to one value.
public struct ControlSetting: Hashable, Sendable {
  /// The ``Control/id`` of the control.
  public var control: String
  /// The value to set; nil sets the control to its default.
  public var value: ControlValue?

  /// Creates a request to set `control`.
  ///
  /// - Parameter value: nil sets the control to its default.
  public init(control: String, value: ControlValue?) {
    self.control = control
    self.value = value
  }
}

/// The result of one ``ControlSetting``: the value that the control has now, or why it was not set.
public struct ControlResult: Hashable, Sendable {
  /// The ``Control/id`` of the control.
  public var control: String
  /// The value that was read back after setting, nil where ``Control/value`` is nil; or the error because of which the
  /// control was not set: `controlNotFound`, `unsupportedValue`, `controlWrongType`, `controlReadOnly`,
  /// `controlInactive`, `controlGrabbed`, `deviceDisconnected`, `deviceFailed`.
  public var outcome: Result<ControlValue?, CaptureError>

  /// Creates the result of setting `control`.
  public init(control: String, outcome: Result<ControlValue?, CaptureError>) {
    self.control = control
    self.outcome = outcome
  }

  /// Whether the control was set to another value than `asked`, because the driver rounded it.
  ///
  /// - Parameter asked: the value that the client asked for. Nil asked for the control's default; that result never
  ///   counts as rounded.
  public func isRounded(from asked: ControlValue?) -> Bool {
    guard let asked, case .success(let value?) = outcome else { return false }
    return !value.means(asked)
  }
}

/// The controls whose meaning the daemon knows. Their raw values are V4L2's numbers (`linux/v4l2-controls.h`), which
/// synthetic cameras use too.
public enum KnownControl: UInt32, Hashable, Sendable {
  /// `V4L2_CID_BRIGHTNESS`
  case brightness = 0x0098_0900
  /// `V4L2_CID_CONTRAST`
  case contrast = 0x0098_0901
  /// `V4L2_CID_AUTOGAIN`
  case automaticGain = 0x0098_0912
  /// `V4L2_CID_GAIN`
  case gain = 0x0098_0913
  /// `V4L2_CID_EXPOSURE_AUTO`
  case automaticExposure = 0x009a_0901
  /// `V4L2_CID_EXPOSURE_ABSOLUTE`, in units of 100 µs.
  case exposure = 0x009a_0902
  /// `V4L2_CID_AUTO_EXPOSURE_BIAS`, in thousandths of an EV.
  case exposureBias = 0x009a_0913
  /// `V4L2_CID_FLASH_LED_MODE`
  case flashMode = 0x009c_0901
  /// `V4L2_CID_FLASH_STROBE`
  case strobe = 0x009c_0903
  /// `V4L2_CID_FLASH_STROBE_STOP`
  case strobeStop = 0x009c_0904
  /// `V4L2_CID_FLASH_TIMEOUT`, in µs.
  case flashTimeout = 0x009c_0906
  /// `V4L2_CID_FLASH_TORCH_INTENSITY`
  case torchIntensity = 0x009c_0908
  /// `V4L2_CID_TEST_PATTERN`
  case testPattern = 0x009f_0903
}

extension Control {
  /// Which of the known controls this is; nil for a control whose meaning only the driver knows.
  public var known: KnownControl? { KnownControl(rawValue: v4l2ID) }
}
