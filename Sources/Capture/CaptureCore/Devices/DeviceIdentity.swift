/// The properties that tell a camera from other cameras, whatever the operator calls it.
public struct DeviceIdentity: Hashable, Sendable {
  /// The camera's own id, which the camera is known by unless the operator chooses another id. No two cameras that are
  /// present have the same own id.
  public var id: String
  /// The camera's ``Device/location``. All cameras of one USB device share their location, and so do all cameras of one
  /// capture card.
  public var location: String
  /// Those of ``DeviceDirectory/links`` that lead to one of the camera's nodes.
  public var links: Set<String>

  /// Creates the identity of a camera.
  ///
  /// - Parameters:
  ///   - id: the camera's own id.
  ///   - links: the links of the directory that lead to the camera.
  public init(id: String, location: String, links: Set<String> = []) {
    self.id = id
    self.location = location
    self.links = links
  }
}
