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

/// One of several cameras that are connected to a photo output, as the output knows it.
public struct ConstituentCamera: Hashable, Sendable {
  /// The `id` of the session's input.
  public var input: String
  /// Whether the output may take frames of the camera, and how pictures are turned on their way.
  public var connection: Connection
  /// The state of the camera.
  public var status = SessionStatus(.stopped)
  /// How many frames the camera gives per second; nil when that is not known.
  public var frameRate: Rational?

  /// Creates a camera that is stopped.
  ///
  /// - Parameters: as the properties of the same names.
  public init(input: String, connection: Connection = Connection()) {
    self.input = input
    self.connection = connection
  }
}

/// How a picture is turned on its way to an output. The picture is first rotated clockwise, then mirrored.
public struct Orientation: Hashable, Sendable {
  /// A clockwise rotation; the raw value is in degrees.
  public enum Rotation: Int, Hashable, Sendable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
  }

  /// The clockwise rotation, which comes before mirroring.
  public var rotation: Rotation
  /// Whether left and right are exchanged after the rotation.
  public var isMirrored: Bool

  /// Creates an orientation. By default, it leaves the picture unchanged.
  public init(rotation: Rotation = .none, isMirrored: Bool = false) {
    self.rotation = rotation
    self.isMirrored = isMirrored
  }

  /// The orientation that leaves the picture as the camera captured it.
  public static let asCaptured = Orientation()

  /// Whether the rotation exchanges width and height.
  public var isSideways: Bool { rotation == .quarter || rotation == .threeQuarters }

  /// Returns this orientation followed by a clockwise rotation by `angle`.
  public func rotated(by angle: Rotation) -> Orientation {
    // An orientation rotates before it mirrors. A rotation after the mirroring equals the opposite rotation before the
    // mirroring, so the angle is subtracted for a mirrored picture.
    let degrees = rotation.rawValue + (isMirrored ? 360 - angle.rawValue : angle.rawValue)
    return Orientation(rotation: Rotation(rawValue: degrees % 360) ?? .none, isMirrored: isMirrored)
  }

  /// The size of a picture of `size` after the picture was turned. Turning the result again gives the former size.
  public func turned(_ size: Size) -> Size { isSideways ? Size(width: size.height, height: size.width) : size }
}
