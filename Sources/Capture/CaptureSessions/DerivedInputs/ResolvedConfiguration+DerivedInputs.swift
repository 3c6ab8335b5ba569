internal import CaptureCore

extension ResolvedConfiguration.Input {
  /// Creates a composition.
  ///
  /// - Parameters:
  ///   - id: the input's id.
  ///   - layout: how its pictures are put together.
  init(id: String, composition layout: CompositionLayout) {
    self.init(
      id: id, source: .composed(layout),
      request: StreamRequest(pixelFormat: .nv12, size: layout.size, frameRate: layout.frameRate))
  }

  /// The id of the camera; nil for a derived input.
  public var deviceID: String? {
    switch source {
    case .device(let id): id
    case .composed: nil
    }
  }

  /// Whether the frames are made of those of other inputs.
  public var isDerived: Bool { deviceID == nil }

  /// Names the source among all that a session has: the id of the camera, or an id that no device has, because it
  /// contains a slash.
  var sourceID: String {
    switch source {
    case .device(let id): id
    case .composed: "composition/" + id
    }
  }

  /// The inputs of which the frames are made. The frames of the first are the clock. None for a camera.
  var layers: [CompositionLayer] {
    switch source {
    case .device: []
    case .composed(let layout): layout.layers
    }
  }
}

extension ResolvedConfiguration {
  /// The number of inputs that are cameras.
  var cameraCount: Int { inputs.count { !$0.isDerived } }

  /// The ids of the devices of all cameras.
  var cameraIDs: Set<String> { Set(inputs.compactMap(\.deviceID)) }

  /// Returns the derived inputs that show the camera of `input`, and whose own pictures an output takes.
  func derivedInputs(showing input: Input) -> [Input] {
    inputs.indices.filter { place in hasOutput(at: place) && inputs[place].layers.contains { $0.input == input.id } }
      .map { inputs[$0] }
  }

  /// Whether an output takes the frames of the input at `place` itself.
  func hasOutput(at place: Int) -> Bool {
    outputs.contains { output in
      output.camera == place && output.connection?.isEnabled == true
        || output.constituents.contains { $0.camera == place && $0.connection.isEnabled }
    }
  }

  /// The most frames of the input at `place` that are held at a time until those of other cameras come: by
  /// derived inputs, and by a capture of several cameras.
  func heldFrames(at place: Int) -> Int {
    let captures = outputs.count { $0.constituents.contains { $0.camera == place } }
    return derivedInputs(showing: inputs[place]).count * CompositionLayout.maximumHeldFrames
      + captures * PhotoFeatures.maxConstituentFrames
  }

  /// The camera that is the first layer of a derived input; nil for a camera.
  func firstLayer(of input: Input) -> Input? {
    input.layers.first.flatMap { layer in inputs.first { $0.id == layer.input } }
  }

  /// The derived inputs whose first layer is the camera of `input`.
  func derivedInputs(clockedBy input: Input) -> [Input] { inputs.filter { firstLayer(of: $0)?.id == input.id } }

  /// The place of the camera without whose frames the input at `place` has none: the first layer of a derived input, or
  /// the camera itself.
  func clock(of place: Int) -> Int {
    guard inputs.indices.contains(place), let first = firstLayer(of: inputs[place]) else { return place }
    return inputs.firstIndex { $0.id == first.id } ?? place
  }

  /// What a derived input is to make by a revision of the configuration; nil for a camera.
  func plan(of input: Input, revision: UInt64) -> CompositionPlan? {
    guard let pace = pace(of: input) else { return nil }
    let shown = inputs.filter { camera in input.layers.contains { $0.input == camera.id } }
    return CompositionPlan(
      layers: input.layers, pace: pace, revision: revision,
      cameras: Dictionary(shown.map { ($0.id, $0.sourceID) }) { first, _ in first })
  }

  /// How many pictures a derived input makes, which depends on its first layer's camera; nil for a camera.
  func pace(of input: Input) -> CompositionPace? {
    switch input.source {
    case .device: nil
    case .composed(let layout): firstLayer(of: input).map { layout.pace(with: $0.frameRate) }
    }
  }
}
