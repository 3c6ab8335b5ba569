internal import CaptureCore

/// Fills in every default of a configuration and finds every issue with it. Depends on its arguments alone.
enum ConfigurationResolver {
  /// The longest window of zero shutter lag, nanoseconds.
  static let maximumWindow: UInt64 = 5_000_000_000
  /// The window of zero shutter lag when the client names none, nanoseconds.
  static let defaultWindow: UInt64 = 600_000_000

  /// A configuration, resolved as far as possible, and everything that keeps it from being committed.
  typealias Resolution = (resolved: ResolvedConfiguration, issues: [CaptureError])

  /// Resolves a configuration on the present cameras and microphones.
  ///
  /// - Returns: the configuration, resolved as far as possible, and the issues. It may be committed only when there is
  ///   no issue.
  static func resolve(
    _ asked: SessionConfiguration, devices: [Device], microphones: [Microphone] = []
  ) -> Resolution {
    var issues: [CaptureError] = []
    let sounds = MicrophoneResolver.inputs(asked, microphones)
    let ids = inputIDs(asked, microphones: sounds.map(\.place))
    let pictures = asked.inputs.indices.filter { place in !sounds.contains { $0.place == place } }
    let others = pictures.filter { !asked.inputs[$0].isDerived }
    let composed = pictures.filter { asked.inputs[$0].isDerived }
    let cameras = others.filter { place in devices.contains { $0.id == asked.inputs[place].deviceID } }
    let preset = resolvePreset(asked, cameras: others, known: cameras, devices, &issues)
    let misplaced = sounds.map(\.place).filter { $0 < composed.last ?? cameras.last ?? others.first ?? 0 }
    let picked = preset == .inputPriority && others.count > 1 ? .high : preset
    // Microphones that stand before a camera are an issue of their own.
    var inputs =
      misplaced.isEmpty ? CameraResolver.resolve(asked, at: others, ids, picking: picked, devices, &issues) : []
    inputs += CompositionResolver.resolve(asked, at: composed, showing: others, ids, inputs, devices, &issues)
    let heard = MicrophoneResolver.resolve(
      asked, microphones, misplaced: misplaced, taken: Set(pictures.map { ids[$0] }), &issues)
    let wiring = CameraWiring(asked, inputs, devices)
    var outputs = OutputResolver.resolve(asked, wiring, &issues)
    ConnectionResolver.connect(&outputs, asked, wiring, inputs: ids, microphones: sounds.map(\.place), &issues)
    MicrophoneResolver.connect(heard, to: &outputs, asked, &issues)
    MicrophoneResolver.checkCodecs(of: heard, for: outputs, &issues)
    var resolved = ResolvedConfiguration(
      inputs: inputs,
      preset: preset,
      automaticallyRunsDeferredStart: asked.automaticallyRunsDeferredStart ?? true,
      outputs: outputs,
      zeroShutterLagWindow: outputs.contains { $0.photo?.features.zeroShutterLag == true }
        ? asked.photo?.zeroShutterLagWindow ?? defaultWindow : 0,
      adaptationPolicy: asked.adaptationPolicy ?? .client)
    resolved.microphones = heard
    return (resolved, issues)
  }

  /// Returns the ids of all inputs in order. `microphones` are the places of those that are microphones.
  static func inputIDs(_ asked: SessionConfiguration, microphones: [Int]) -> [String] {
    var cameras = 0
    return asked.inputs.enumerated().map { place, input in
      if microphones.contains(place) { return input.id ?? "microphone" }
      if input.composition != nil { return input.id ?? "composition" }
      cameras += 1
      return input.id ?? (cameras == 1 ? "camera" : "camera-\(cameras)")
    }
  }

  /// Returns the preset of a configuration. With several cameras it is INPUT_PRIORITY, as no preset picks formats that
  /// fit beside one another.
  ///
  /// - Parameters:
  ///   - cameras: the places of the inputs that are no microphones.
  ///   - known: the places of those whose camera is present.
  private static func resolvePreset(
    _ asked: SessionConfiguration, cameras: [Int], known: [Int], _ devices: [Device], _ issues: inout [CaptureError]
  ) -> SessionPreset {
    if known.count > 1 {
      if let preset = asked.preset, preset != .inputPriority {
        issues.append(
          CaptureError(
            .notSupportedInConfiguration,
            "A session with several cameras has the preset INPUT_PRIORITY; leave preset unset, and name a format on "
              + "each input that is not to have the daemon's choice.",
            metadata: ["cameras": "\(known.count)"], field: "configuration.preset"))
      }
      return .inputPriority
    }
    let isExplicit = asked.inputs.contains { $0.format != nil }
    let preset = isExplicit ? presetBesideFormat(asked, devices) : asked.preset ?? .high
    // Of several cameras, all but one may be absent now; the present one needs no format then either.
    if preset == .inputPriority, !isExplicit, cameras.count == 1 {
      issues.append(
        CaptureError(
          .invalidArgument, "The preset INPUT_PRIORITY needs a format on the input.",
          field: "configuration.inputs[0].format"))
    }
    return preset
  }

  /// Returns the preset of a configuration that names a format. The named format overrules the preset, so the preset
  /// becomes INPUT_PRIORITY. It stays as it is when it picks the named format anyway, so that a resolved configuration
  /// resolves to itself.
  private static func presetBesideFormat(_ asked: SessionConfiguration, _ devices: [Device]) -> SessionPreset {
    guard let preset = asked.preset, preset != .inputPriority, let input = asked.inputs.first,
      let format = input.format,
      let device = devices.first(where: { $0.id == input.deviceID }),
      case .success(let picked) = FormatSelection.request(preset, rate: input.frameRate, on: device),
      case .success(let wanted) = FormatSelection.request(format, rate: input.frameRate, on: device), picked == wanted
    else { return .inputPriority }
    return preset
  }
}
