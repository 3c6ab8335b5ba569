/// What became of a setting.
public struct ControlResult: Hashable, Sendable {
  /// ``Control/id``.
  public var control: String
  /// The value read back afterwards, nil where ``Control/value`` would be; or why it was not set: `controlNotFound`,
  /// `unsupportedValue`, `controlWrongType`, `controlReadOnly`, `controlInactive`, `controlGrabbed`, `deviceDisconnected`, `deviceFailed`.
  public var outcome: Result<ControlValue?, CaptureError>

  public init(control: String, outcome: Result<ControlValue?, CaptureError>) {
    self.control = control
    self.outcome = outcome
  }

  /// True when the control was set to another value than `asked`, because the driver rounded it.
  ///
  /// - Parameter asked: nil is the control's default, which is always met.
  public func isRounded(from asked: ControlValue?) -> Bool {
    guard let asked, case .success(let value?) = outcome else { return false }
    return !value.means(asked)
  }
}
