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
