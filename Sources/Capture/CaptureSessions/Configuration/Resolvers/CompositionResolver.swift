public import CaptureCore

/// Fills in the defaults of the inputs that are compositions.
enum CompositionResolver {
  /// The rate of composed pictures when the client names none, pictures a second.
  static let composedRate = Rational(30, 1)

  /// Resolves the compositions of a configuration.
  ///
  /// - Parameters:
  ///   - places: the places of the inputs that are compositions.
  ///   - shown: the places of the cameras, which layers may show.
  ///   - ids: the ids of all inputs.
  ///   - cameras: the cameras that could be resolved.
  static func resolve(
    _ asked: SessionConfiguration, at places: [Int], showing shown: [Int], _ ids: [String],
    _ cameras: [ResolvedConfiguration.Input], _ devices: [Device], _ issues: inout [CaptureError]
  ) -> [ResolvedConfiguration.Input] {
    let maximum = SessionConfiguration.maximumCameras
    if !places.isEmpty, shown.count <= maximum, shown.count + places.count > maximum {
      issues.append(
        CaptureError(
          .invalidArgument,
          "There are \(shown.count) cameras and \(places.count) compositions; a session has at most \(maximum) of both "
            + "together.",
          metadata: ["cameras": "\(shown.count)", "compositions": "\(places.count)", "maximum": "\(maximum)"],
          field: "configuration.inputs"))
    }
    let names = Set(shown.map { ids[$0] })
    var taken = names
    return places.prefix(max(0, maximum - shown.count)).compactMap { place in
      guard let wanted = asked.inputs[place].composition else { return nil }
      let (id, path) = (ids[place], "configuration.inputs[\(place)]")
      checkPlace(place, id, before: shown, path, &issues)
      checkIsComposition(asked.inputs[place], path, &issues)
      if !taken.insert(id).inserted {
        issues.append(
          CaptureError(
            .invalidArgument, "Two inputs are named \(id); give each an id of its own.", metadata: ["input": id],
            field: "\(path).id"))
      }
      let layout = CompositionLayout(
        size: wanted.size, frameRate: wanted.frameRate ?? composedRate, layers: wanted.layers)
      let problems = layout.problems(at: "\(path).composition", inputs: names)
      issues += problems
      issues += unreadable(layout, "\(path).composition", cameras, devices)
      guard problems.isEmpty else { return nil }
      var input = ResolvedConfiguration.Input(id: id, composition: layout)
      // A composition has no pictures before its first layer has some.
      input.deferredStart = cameras.first { $0.id == layout.layers[0].input }?.deferredStart ?? false
      return input
    }
  }

  private static func checkPlace(
    _ place: Int, _ id: String, before cameras: [Int], _ path: String, _ issues: inout [CaptureError]
  ) {
    guard let last = cameras.last, place < last else { return }
    issues.append(
      CaptureError(
        .invalidArgument, "The composition \(id) stands before a camera; name all cameras first.",
        metadata: ["input": id], field: "\(path).composition"))
  }

  /// Adds an issue for each field that only a camera or a microphone has.
  private static func checkIsComposition(
    _ input: SessionConfiguration.Input, _ path: String, _ issues: inout [CaptureError]
  ) {
    let foreign = [
      ("device", !input.deviceID.isEmpty), ("format", input.format != nil),
      ("frame_rate_override", input.frameRate != nil), ("audio_format", input.audioFormat != nil),
      ("deferred_start_enabled", input.deferredStart != nil),
    ]
    for (field, isNamed) in foreign where isNamed {
      issues.append(
        CaptureError(
          .invalidArgument, "A composition has no \(field) of its own; leave it unset.", field: "\(path).\(field)"))
    }
  }

  /// Returns an issue for each layer whose camera delivers frames that the daemon cannot read.
  private static func unreadable(
    _ layout: CompositionLayout, _ path: String, _ cameras: [ResolvedConfiguration.Input], _ devices: [Device]
  ) -> [CaptureError] {
    layout.layers.enumerated().compactMap { index, layer in
      guard let camera = cameras.first(where: { $0.id == layer.input }),
        let format = devices.first(where: { $0.id == camera.deviceID })?.formats.first(where: {
          $0.pixelFormat == camera.request.pixelFormat && $0.supports(camera.request.size)
        })
      else { return nil }
      let published = format.convertedTo ?? format.pixelFormat
      guard !OutputResolver.availableFormats(published).contains(.nv12) else { return nil }
      return CaptureError(
        .notSupportedInConfiguration,
        "The layer's camera \(layer.input) delivers \(published), which the daemon cannot compose; give the camera "
          + "another format.",
        metadata: ["input": layer.input, "pixel_format": published.fourCC], field: "\(path).layers[\(index)].input")
    }
  }
}

extension SessionConfiguration {
  /// A picture that the daemon puts together from the pictures of the session's cameras.
  public struct Composition: Hashable, Sendable {
    /// The size of the composed pictures.
    public var size: Size
    /// The most composed pictures a second; default 30.
    public var frameRate: Rational?
    /// The layers; the frames of the first are the clock of the composition.
    public var layers: [CompositionLayer]

    /// Asks for a composition.
    ///
    /// - Parameter frameRate: the most pictures a second; nil for the default.
    public init(size: Size, frameRate: Rational? = nil, layers: [CompositionLayer]) {
      self.size = size
      self.frameRate = frameRate
      self.layers = layers
    }
  }
}

extension DeviceFormat {
  /// The format of the pictures of a composition, as far as outputs must know it.
  static func composed(_ layout: CompositionLayout) -> DeviceFormat {
    DeviceFormat(
      pixelFormat: .nv12, description: "composed pictures", frameSize: .discrete(layout.size),
      frameDurations: .discrete([layout.frameRate.reciprocal]))
  }
}
