/// A camera came or went.
public struct DeviceChange: Hashable, Sendable {
  /// What happened to the camera.
  public enum Kind: Hashable, Sendable { case connected, disconnected, changed }
  public var kind: Kind
  /// As it is now; for `disconnected` as it last was.
  public var device: Device

  public init(_ kind: Kind, _ device: Device) {
    self.kind = kind
    self.device = device
  }
}
