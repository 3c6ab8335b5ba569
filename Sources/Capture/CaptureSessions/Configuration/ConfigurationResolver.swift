internal import CaptureCore

/// Fills in every default of a configuration and finds every issue with it. Depends on its arguments alone.
enum ConfigurationResolver {
  /// The longest window of zero shutter lag, nanoseconds.
  static let maximumWindow: UInt64 = 5_000_000_000
  /// The window of zero shutter lag when the client names none, nanoseconds.
  static let defaultWindow: UInt64 = 600_000_000

  /// Resolves a configuration on the present cameras and microphones.
  ///
  /// - Returns: the configuration, resolved as far as possible, and the issues. It may be committed only when there is
  ///   no issue.
  static func resolve(
    _ asked: SessionConfiguration, devices: [Device], microphones: [Microphone] = []
  ) -> (resolved: ResolvedConfiguration, issues: [CaptureError]) {
    var issues: [CaptureError] = []
    let explicit = asked.inputs.contains { $0.format != nil }
    let preset = explicit ? presetBesideFormat(asked, devices) : asked.preset ?? .high
    let sounds = microphoneInputs(asked, microphones)
    if preset == .inputPriority, !explicit, asked.inputs.count > sounds.count {
      issues.append(
        CaptureError(
          .invalidArgument, "The preset INPUT_PRIORITY needs a format on the input.",
          field: "configuration.inputs[0].format"))
    }
    let others = asked.inputs.indices.filter { place in !sounds.contains { $0.place == place } }
    let lastCamera = others.last { place in devices.contains { $0.id == asked.inputs[place].deviceID } } ?? others.first
    let misplaced = sounds.map(\.place).filter { $0 < lastCamera ?? 0 }
    // Microphones that stand before the camera are an issue of their own.
    let input =
      misplaced.isEmpty && !others.isEmpty
      ? resolveInput(asked, at: others, preset: preset, devices: devices, &issues) : nil
    let heard = resolveMicrophones(
      asked, microphones, misplaced: misplaced, taken: Set(others.prefix(1).map { asked.inputs[$0].id ?? "camera" }),
      &issues)
    let device = devices.first { $0.id == input?.deviceID }
    let format = input.flatMap { input in device.flatMap { deviceFormat(of: input, $0) } }
    var outputs = resolveOutputs(asked, format, &issues)
    connect(&outputs, asked, device?.mountingRotation ?? .none, microphones: sounds.map { $0.place }, &issues)
    connect(heard, to: &outputs, asked, &issues)
    checkCodecs(of: heard, for: outputs, &issues)
    var resolved = ResolvedConfiguration(
      inputs: [input].compactMap { $0 },
      preset: preset,
      automaticallyRunsDeferredStart: asked.automaticallyRunsDeferredStart ?? true,
      outputs: outputs,
      zeroShutterLagWindow: outputs.contains { $0.photo?.features.zeroShutterLag == true }
        ? asked.photo?.zeroShutterLagWindow ?? defaultWindow : 0,
      adaptationPolicy: asked.adaptationPolicy ?? .client)
    resolved.microphones = heard
    return (resolved, issues)
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

  private static func resolveInput(
    _ asked: SessionConfiguration, at places: [Int], preset: SessionPreset, devices: [Device],
    _ issues: inout [CaptureError]
  ) -> ResolvedConfiguration.Input? {
    guard let input = asked.inputs.first else { return nil }
    for index in places.dropFirst() where !devices.contains(where: { $0.id == asked.inputs[index].deviceID }) {
      // It may be a microphone that is not there.
      issues.append(notFound(asked.inputs[index].deviceID, "configuration.inputs[\(index)]"))
    }
    if places.count > 1, issues.isEmpty {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration, "A session has one camera; create a session for each.",
          metadata: ["inputs": "\(places.count)"], field: "configuration.inputs"))
    }
    let path = "configuration.inputs[0]"
    guard let device = devices.first(where: { $0.id == input.deviceID }) else {
      issues.append(notFound(input.deviceID, path))
      return nil
    }
    if var refusal = device.unavailable {
      refusal.field = "\(path).device"
      issues.append(refusal)
      return nil
    }
    if input.audioFormat != nil {
      issues.append(
        CaptureError(
          .invalidArgument, "\(device.id) is a camera, which has no audio format.", metadata: ["device": device.id],
          field: "\(path).audio_format"))
    }
    if let rate = input.frameRate, !(0.01...1000).contains(rate.value) {
      issues.append(
        CaptureError(
          .invalidArgument, "A frame rate of \(rate) is out of range; name frames per second from 1/100 to 1000.",
          metadata: ["frame_rate": "\(rate)"], field: "\(path).frame_rate_override"))
      return nil
    }
    let request =
      input.format.map { FormatSelection.request($0, rate: input.frameRate, on: device) }
      ?? FormatSelection.request(preset, rate: input.frameRate, on: device)
    switch request {
    case .success(let request):
      return ResolvedConfiguration.Input(
        id: input.id ?? "camera", deviceID: device.id, deviceName: device.displayName, request: request)
    case .failure(var issue):
      issue.field = issue.field == "preset" ? "configuration.preset" : "\(path).\(issue.field ?? "format")"
      issues.append(issue)
      return nil
    }
  }

  private static func notFound(_ id: String, _ path: String) -> CaptureError {
    CaptureError(
      .deviceNotFound, "There is no device \(id); ListDevices tells which there are.", metadata: ["device": id],
      field: "\(path).device")
  }

  private static func deviceFormat(of input: ResolvedConfiguration.Input, _ device: Device) -> DeviceFormat? {
    device.formats.first { $0.pixelFormat == input.request.pixelFormat && $0.supports(input.request.size) }
  }
}
