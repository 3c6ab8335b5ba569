/// The way of frames from an input of a session to an output.
public struct Connection: Hashable, Sendable {
  /// Whether frames go from the input to the output.
  public var isEnabled: Bool
  /// How pictures are turned on their way.
  public var orientation: Orientation

  /// Creates a connection. By default, it is enabled and does not turn pictures.
  public init(isEnabled: Bool = true, orientation: Orientation = .asCaptured) {
    self.isEnabled = isEnabled
    self.orientation = orientation
  }
}
