/// An input of a session that makes its frames of the frames of other inputs, as a composition does. It takes part in
/// the session twice: the fan-outs of its layers' cameras give it frames as they give frames to an output, and its
/// pipeline starts it as it starts a camera. It works on a thread of its own.
///
/// The object lives as long as the input is configured, while its sources come and go. Thread-safe.
public protocol DerivedInput: CaptureOutput {
  /// Takes another plan. The next picture that is begun has the new layers, and no picture has some of both; each has
  /// the revision of its layers. A layer whose input has another camera shows nothing before that camera brings a
  /// frame. The stream goes on; only when the first layer shows another camera, a new stream begins, because the
  /// sequence numbers are then those of another camera.
  func follow(_ plan: CompositionPlan)

  /// Lets the input wait for its first layer while the session itself keeps the camera from bringing frames,
  /// because it opens the camera, restarts it or takes a larger photo with it. Meanwhile the stream does not count as
  /// stalled, and afterwards the next frame may take as long as the first one of a stream.
  func setWaiting(_ isWaiting: Bool)

  /// Starts a stream of pictures by the newest plan. The first picture comes with the next frame of the first layer.
  ///
  /// - Parameters:
  ///   - format: the format of the pictures; for a composition from ``CompositionLayout/format(withFirstLayer:)``.
  ///   - patience: how long the first layer may bring no frame before the stream counts as stalled.
  ///   - pool: gives the memory of the pictures.
  ///   - sink: gets the pictures, on the thread of the input.
  /// - Throws: `deviceInUse` while a former source runs, `processingFailed` when the system cannot create a thread.
  func start(
    _ format: StreamFormat, patience: StallPatience, pool: FramePool, sink: any FrameSink
  ) throws(CaptureError) -> any FrameSource
}

/// Makes the composition of an input.
///
/// - Parameters:
///   - id: the id of the input.
///   - layers: the first layers.
public typealias CompositionMaker = @Sendable (_ id: String, _ layers: [CompositionLayer]) -> any DerivedInput

/// Tells a derived input which pictures to make by a revision of the session's configuration. A value.
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
