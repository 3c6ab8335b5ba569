internal import CaptureCore

extension ConfigurationResolver {
  /// Resolves the cameras of a configuration.
  ///
  /// - Parameters:
  ///   - places: the places of the inputs that are neither compositions nor microphones.
  ///   - ids: the ids of all inputs.
  ///   - preset: picks the format of a camera that names none.
  static func resolveCameras(
    _ asked: SessionConfiguration, at places: [Int], _ ids: [String], picking preset: SessionPreset,
    _ devices: [Device], _ issues: inout [CaptureError]
  ) -> [ResolvedConfiguration.Input] {
    let maximum = SessionConfiguration.maximumCameras
    if places.count > maximum {
      issues.append(
        CaptureError(
          .invalidArgument, "There are \(places.count) cameras; a session has at most \(maximum).",
          metadata: ["cameras": "\(places.count)", "maximum": "\(maximum)"], field: "configuration.inputs"))
    }
    var (taken, named): (Set<String>, Set<String>) = ([], [])
    return places.prefix(maximum).compactMap { place in
      let (input, path) = (asked.inputs[place], "configuration.inputs[\(place)]")
      if !named.insert(input.deviceID).inserted {
        issues.append(
          CaptureError(
            .invalidArgument,
            "The camera \(input.deviceID) is named twice; name it once, and connect its input to several outputs.",
            metadata: ["device": input.deviceID], field: "\(path).device"))
      }
      if !taken.insert(ids[place]).inserted {
        issues.append(
          CaptureError(
            .invalidArgument, "Two inputs are named \(ids[place]); give each an id of its own.",
            metadata: ["input": ids[place]], field: "\(path).id"))
      }
      return resolve(input, ids[place], path, picking: preset, devices, &issues)
    }
  }

  private static func resolve(
    _ input: SessionConfiguration.Input, _ id: String, _ path: String, picking preset: SessionPreset,
    _ devices: [Device], _ issues: inout [CaptureError]
  ) -> ResolvedConfiguration.Input? {
    guard let device = devices.first(where: { $0.id == input.deviceID }) else {
      issues.append(
        CaptureError(
          .deviceNotFound, "There is no device \(input.deviceID); ListDevices tells which there are.",
          metadata: ["device": input.deviceID], field: "\(path).device"))
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
      var resolved = ResolvedConfiguration.Input(
        id: id, source: .device(device.id), deviceName: device.displayName, request: request)
      resolved.deferredStart = input.deferredStart ?? false
      return resolved
    case .failure(var issue):
      issue.field = issue.field == "preset" ? "configuration.preset" : "\(path).\(issue.field ?? "format")"
      issues.append(issue)
      return nil
    }
  }
}

/// Which camera each output of a configuration has, and what its frames are like.
struct CameraWiring {
  private let cameras: [String: Int]
  private let outputs: [String: Int]
  private let formats: [DeviceFormat?]
  private let mountings: [Orientation.Rotation]

  init(_ asked: SessionConfiguration, _ inputs: [ResolvedConfiguration.Input], _ devices: [Device]) {
    let present = inputs.map { input in devices.first { $0.id == input.deviceID } }
    let cameras = Dictionary(inputs.enumerated().map { ($1.id, $0) }) { first, _ in first }
    self.cameras = cameras
    let wires = asked.connections.compactMap { wire in cameras[wire.input].map { (wire.output, $0) } }
    var outputs = Dictionary(wires) { first, _ in first }
    if let photo = asked.photo, photo.constituentDelivery == true {
      // The photo output's own camera is the first of its cameras in the order of the inputs.
      let id = photo.id ?? "photo"
      outputs[id] = wires.filter { $0.0 == id }.map(\.1).min()
    }
    self.outputs = outputs
    formats = zip(inputs, present).map { input, device in
      switch input.source {
      case .composed(let layout): .composed(layout)
      case .device:
        device?.formats.first { $0.pixelFormat == input.request.pixelFormat && $0.supports(input.request.size) }
      }
    }
    mountings = present.map { $0?.mountingRotation ?? .none }
  }

  /// Returns the place of the camera that the output has, which is the first one for an output without a connection.
  func camera(of output: String) -> Int { outputs[output] ?? 0 }

  /// Returns the place of the camera with this input id; nil when there is none.
  func camera(named input: String) -> Int? { cameras[input] }

  /// Returns the format of the camera that the output has; nil when there is no camera.
  func format(for output: String) -> DeviceFormat? {
    let camera = camera(of: output)
    return formats.indices.contains(camera) ? formats[camera] : nil
  }

  /// Returns the rotation of pictures of a camera where the client asks for no angle.
  func mounting(of camera: Int?) -> Orientation.Rotation {
    camera.flatMap { mountings.indices.contains($0) ? mountings[$0] : nil } ?? .none
  }

  /// Whether Firstlight can read the frames of a camera, so that it can turn its pictures.
  func isReadable(_ camera: Int?) -> Bool {
    guard let camera, formats.indices.contains(camera), let format = formats[camera] else { return true }
    return FrameLayout.packed(format.convertedTo ?? format.pixelFormat, Size(width: 2, height: 2)) != nil
  }
}
