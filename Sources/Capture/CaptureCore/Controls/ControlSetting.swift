/// A control and what to set it to.
public struct ControlSetting: Hashable, Sendable {
  /// ``Control/id``.
  public var control: String
  /// Nil is the control's default.
  public var value: ControlValue?

  public init(control: String, value: ControlValue?) {
    self.control = control
    self.value = value
  }
}
