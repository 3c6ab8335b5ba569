internal import CaptureCore

extension ResolvedConfiguration.Input {
  /// The start of the ``deviceID`` of every composition. No device id contains a slash.
  static let compositionPrefix = "composition/"

  /// Makes a composition.
  ///
  /// - Parameters:
  ///   - id: the input's id.
  ///   - layout: how its pictures are put together.
  init(id: String, composition layout: CompositionLayout) {
    self.init(
      id: id, deviceID: Self.compositionPrefix + id,
      request: StreamRequest(pixelFormat: .nv12, size: layout.size, frameRate: layout.frameRate))
    composition = layout
  }

  /// The id of the camera; empty for a composition, which has none.
  var cameraID: String { composition == nil ? deviceID : "" }
}

extension ResolvedConfiguration {
  /// The number of inputs that are cameras of their own and not compositions.
  var cameraCount: Int { inputs.count { $0.composition == nil } }

  /// The ids of the devices of all cameras.
  var cameraIDs: Set<String> { Set(inputs.filter { $0.composition == nil }.map(\.deviceID)) }

  /// Returns the compositions that show the camera of `input`, and whose own pictures an output takes.
  func compositions(showing input: Input) -> [Input] {
    inputs.indices.filter { place in
      hasOutput(at: place) && inputs[place].composition?.layers.contains { $0.input == input.id } ?? false
    }.map { inputs[$0] }
  }

  /// Whether an output takes the frames of the input at `place` itself.
  func hasOutput(at place: Int) -> Bool {
    outputs.contains { output in
      output.camera == place && output.connection?.isEnabled == true
        || output.constituents.contains { $0.camera == place && $0.connection.isEnabled }
    }
  }

  /// The most frames of the input at `place` that are held at a time until those of other cameras come: by
  /// compositions, and by a capture of several cameras.
  func heldFrames(at place: Int) -> Int {
    let captures = outputs.count { $0.constituents.contains { $0.camera == place } }
    return compositions(showing: inputs[place]).count * CompositionLayout.maximumHeldFrames
      + captures * PhotoFeatures.maxConstituentFrames
  }

  /// The camera that is the first layer of a composition; nil for an input that is none.
  func firstLayer(of input: Input) -> Input? {
    input.composition?.layers.first.flatMap { layer in inputs.first { $0.id == layer.input } }
  }

  /// The compositions whose first layer is the camera of `input`.
  func compositions(clockedBy input: Input) -> [Input] { inputs.filter { firstLayer(of: $0)?.id == input.id } }

  /// The place of the camera without whose frames the input at `place` has none: a composition's first layer, or the
  /// camera itself.
  func clock(of place: Int) -> Int {
    guard inputs.indices.contains(place), let first = firstLayer(of: inputs[place]) else { return place }
    return inputs.firstIndex { $0.id == first.id } ?? place
  }

  /// What a composition is to make by a revision of the configuration; nil for an input that is none.
  func plan(of input: Input, revision: UInt64) -> CompositionPlan? {
    guard let layout = input.composition, let pace = pace(of: input) else { return nil }
    let shown = inputs.filter { input in layout.layers.contains { $0.input == input.id } }
    return CompositionPlan(
      layers: layout.layers, pace: pace, revision: revision,
      cameras: Dictionary(shown.map { ($0.id, $0.deviceID) }) { first, _ in first })
  }

  /// How many pictures a composition makes, which depends on its first layer's camera; nil for an input that is none.
  func pace(of input: Input) -> CompositionPace? {
    firstLayer(of: input).flatMap { input.composition?.pace(with: $0.frameRate) }
  }
}
