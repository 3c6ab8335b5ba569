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
