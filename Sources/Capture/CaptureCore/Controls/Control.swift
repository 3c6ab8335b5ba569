/// A setting of a camera, as V4L2 models it: what it may be, what it is now, and whether it can be set now.
public struct Control: Hashable, Sendable {
  /// How to read the value and the range.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// 32 bits, signed.
    case integer
    case boolean
    /// One of ``Control/menuItems``, named.
    case menu
    /// One of ``Control/menuItems``, each a number.
    case integerMenu
    /// Does something when set, whatever the value.
    case button
    /// 64 bits, signed.
    case integer64
    case string
    /// 32 bits, each of its own.
    case bitmask
    /// Arrays of numbers of so many bits.
    case u8, u16, u32
    /// A type not understood here: listed, but neither read nor set.
    case unknown
  }

  /// One choice of a menu.
  public struct MenuItem: Hashable, Sendable {
    /// The value to set.
    public var index: Int64
    /// Empty in an integer menu.
    public var label: String
    /// What the choice stands for in an integer menu, else 0.
    public var value: Int64

    public init(index: Int64, label: String = "", value: Int64 = 0) {
      self.index = index
      self.label = label
      self.value = value
    }
  }

  /// The name as v4l2-ctl prints it, `exposure_time_absolute`; unique on its device.
  public var id: String
  /// The driver's name, for people.
  public var displayName: String
  /// `V4L2_CID_…`; 0 where V4L2 has no number.
  public var v4l2ID: UInt32
  public var kind: Kind
  /// Smallest value, of each element of an array; for strings the shortest length in bytes.
  public var minimum: Int64
  /// Largest value, of each element of an array; for strings the longest length in bytes, for bitmasks the bits there are.
  public var maximum: Int64
  /// Grid, counted from the minimum. Drivers round to it.
  public var step: UInt64
  /// After the driver was loaded, of each element of an array. Means nothing for strings.
  public var defaultValue: Int64
  public var menuItems: [MenuItem] = []
  /// Nil for buttons, for what can only be written or could not be read, and for unknown kinds.
  public var value: ControlValue?
  /// Elements in each dimension, slowest first; empty for single values.
  public var dimensions: [UInt32] = []
  /// Whether an array may also have fewer elements than ``dimensions`` says.
  public var isDynamicArray = false
  public var isReadOnly = false
  /// Another control governs it, so that setting it does nothing now.
  public var isInactive = false
  /// Cannot be set now, usually because the device streams.
  public var isGrabbed = false
  /// Changes by itself.
  public var isVolatile = false

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

  /// A driver's name as v4l2-ctl prints it: lower case, `_` for each run of anything but ASCII letters and digits.
  public static func id(ofName name: String) -> String {
    name.lowercased().utf8.split { !(0x61...0x7a).contains($0) && !(0x30...0x39).contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
  }
}
