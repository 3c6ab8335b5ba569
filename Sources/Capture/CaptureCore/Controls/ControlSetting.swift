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
