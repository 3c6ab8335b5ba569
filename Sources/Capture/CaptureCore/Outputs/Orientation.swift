/// How a picture is turned on its way to an output: first clockwise, then mirrored.
public struct Orientation: Hashable, Sendable {
  /// Clockwise.
  public enum Rotation: Int, Hashable, Sendable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
  }

  public var rotation: Rotation
  /// Whether left and right are exchanged.
  public var isMirrored: Bool

  public init(rotation: Rotation = .none, isMirrored: Bool = false) {
    self.rotation = rotation
    self.isMirrored = isMirrored
  }

  public static let asCaptured = Orientation()

  /// Whether width and height are exchanged.
  public var isSideways: Bool { rotation == .quarter || rotation == .threeQuarters }

  /// This, and then turned clockwise by `angle`.
  public func rotated(by angle: Rotation) -> Orientation {
    // Mirroring reverses the sense of what comes before it.
    let degrees = rotation.rawValue + (isMirrored ? 360 - angle.rawValue : angle.rawValue)
    return Orientation(rotation: Rotation(rawValue: degrees % 360) ?? .none, isMirrored: isMirrored)
  }

  /// The size of a turned picture; the same again gives the size before.
  public func turned(_ size: Size) -> Size { isSideways ? Size(width: size.height, height: size.width) : size }
}
