/// The way of frames from a session's input to an output.
public struct Connection: Hashable, Sendable {
  /// Whether frames flow.
  public var isEnabled: Bool
  public var orientation: Orientation

  public init(isEnabled: Bool = true, orientation: Orientation = .asCaptured) {
    self.isEnabled = isEnabled
    self.orientation = orientation
  }
}
