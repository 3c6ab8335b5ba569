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

  /// The control's name as v4l2-ctl prints it, for example `exposure_time_absolute`; unique on its camera.
  public var id: String
  /// The control's name as the driver gives it, for people.
  public var displayName: String
  /// V4L2's number of the control (`V4L2_CID_…`); 0 for a control that has no number in V4L2.
  public var v4l2ID: UInt32
  /// The type of the control, which says how to read its value and its range.
  public var kind: Kind
  /// The smallest value. For an array, the smallest value of each element; for a string, the shortest length in bytes.
  public var minimum: Int64
  /// The largest value. For an array, the largest value of each element; for a string, the longest length in bytes; for
  /// a bitmask, all bits that exist.
  public var maximum: Int64
  /// The distance between two values, counted from the minimum. Drivers round a value to these steps.
  public var step: UInt64
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
  /// Whether clients can only read the control.
  public var isReadOnly = false
  /// Whether another control governs this one at present, so that setting this one has no effect.
  public var isInactive = false
  /// Whether the control cannot be set now, usually because the camera streams.
  public var isGrabbed = false
  /// Whether the camera changes the value by itself.
  public var isVolatile = false

  /// Creates a control without a value, a menu or dimensions, which the caller sets afterwards.
  ///
  /// - Parameters: as the properties of the same names.
  public init(
    id: String, displayName: String, v4l2ID: UInt32 = 0, kind: Kind, minimum: Int64 = 0, maximum: Int64 = 0,
    step: UInt64 = 1, defaultValue: Int64 = 0
  ) {
    self.id = id
    self.displayName = displayName
    self.v4l2ID = v4l2ID
    self.kind = kind
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.defaultValue = defaultValue
  }

  /// Makes an id from a driver's name as v4l2-ctl does: in lower case, with one `_` for each run of characters that are
  /// not ASCII letters or digits.
  public static func id(ofName name: String) -> String {
    name.lowercased().utf8.split { !(0x61...0x7a).contains($0) && !(0x30...0x39).contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
  }
}
