/// What tells a camera from others, whatever its operator calls it.
public struct DeviceIdentity: Hashable, Sendable {
  /// Its own id: that of a camera nobody named. No two cameras that are present have the same.
  public var id: String
  /// As ``Device/location``. Cameras of one USB device, or of one capture card, share it.
  public var location: String
  /// Those of ``DeviceDirectory/links`` that lead to it.
  public var links: Set<String>

  public init(id: String, location: String, links: Set<String> = []) {
    self.id = id
    self.location = location
    self.links = links
  }
}
