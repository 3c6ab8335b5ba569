/// One change to the cameras that are present: a camera came, went, or is described differently.
public struct DeviceChange: Hashable, Sendable {
  /// How many changes wait for a slow watcher of a provider, who loses the oldest.
  public static let depth = 64

  /// What happened to the camera.
  public enum Kind: Hashable, Sendable { case connected, disconnected, changed }
  /// What happened to the camera.
  public var kind: Kind
  /// The camera as it is now; for `disconnected`, as it was before it went.
  public var device: Device

  /// Creates the change that `kind` happened to `device`.
  public init(_ kind: Kind, _ device: Device) {
    self.kind = kind
    self.device = device
  }
}
