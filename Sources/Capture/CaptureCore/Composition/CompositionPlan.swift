/// What a composition is to make by a revision of the session's configuration. A value.
public struct CompositionPlan: Hashable, Sendable {
  /// Layers without problems (``CompositionLayout/problems(at:inputs:)``).
  public var layers: [CompositionLayer]
  /// How many pictures to make of the first layer's frames, from ``CompositionLayout/pace(with:)``.
  public var pace: CompositionPace
  /// The revision of the configuration that has these layers.
  public var revision: UInt64
  /// The id of the camera of each input that a layer shows. A commit may give an input another camera.
  public var cameras: [String: String]

  /// Creates a plan.
  public init(
    layers: [CompositionLayer], pace: CompositionPace, revision: UInt64, cameras: [String: String] = [:]
  ) {
    self.layers = layers
    self.pace = pace
    self.revision = revision
    self.cameras = cameras
  }
}
