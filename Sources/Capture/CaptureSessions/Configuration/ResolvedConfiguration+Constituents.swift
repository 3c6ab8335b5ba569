public import CaptureCore

extension ResolvedConfiguration {
  /// The way of frames from one of several cameras to a photo output.
  public struct Constituent: Hashable, Sendable {
    /// The id of the input.
    public var input: String
    /// The place of the camera among ``ResolvedConfiguration/inputs``.
    public var camera: Int
    /// Whether frames flow, and how pictures are turned on their way.
    public var connection: Connection

    /// Connects a camera.
    ///
    /// - Parameters: as the properties of the same names.
    public init(input: String, camera: Int, connection: Connection = Connection()) {
      self.input = input
      self.camera = camera
      self.connection = connection
    }
  }

  /// Whether there are two cameras that may be connected to one photo output.
  public var supportsConstituentDelivery: Bool { cameraCount > 1 }
}

extension OutputConditions {
  /// Takes over which cameras are connected to the output. The others of their conditions stay.
  mutating func connect(_ cameras: [ResolvedConfiguration.Constituent]) {
    constituents = cameras.map { camera in
      var constituent =
        constituents.first { $0.input == camera.input } ?? ConstituentCamera(input: camera.input)
      constituent.connection = camera.connection
      return constituent
    }
  }
}
