internal import CaptureCore

/// Finds which input each output of pictures has, and how its pictures are turned.
enum ConnectionResolver {
  /// Connects `outputs` as the client asked, or all of them to the first camera when the client asked for no
  /// connection.
  ///
  /// - Parameters:
  ///   - wiring: which camera each output has.
  ///   - inputs: the ids of all inputs.
  ///   - microphones: the places of the inputs that are microphones. This function skips their connections, because
  ///     they carry no pictures.
  static func connect(
    _ outputs: inout [ResolvedConfiguration.Output], _ asked: SessionConfiguration, _ wiring: CameraWiring,
    inputs: [String], microphones: [Int], _ issues: inout [CaptureError]
  ) {
    for index in outputs.indices {
      let mounting = wiring.mounting(of: outputs[index].camera)
      let upright = Connection(
        orientation: Orientation(rotation: outputs[index].supportsOrientation ? mounting : .none))
      outputs[index].connection = asked.connections.isEmpty ? upright : nil
    }
    var sources: [Int: String] = [:]
    let sounds = Set(microphones.map { inputs[$0] })
    let names = outputs.map(\.id)
    for (index, connection) in asked.connections.enumerated() {
      let path = "configuration.connections[\(index)]"
      if !inputs.contains(connection.input) {
        issues.append(unknown("input", connection.input, inputs, "\(path).input"))
      }
      guard !connection.output.isEmpty, let place = names.firstIndex(of: connection.output) else {
        issues.append(unknown("output", connection.output, names, "\(path).output"))
        continue
      }
      if sounds.contains(connection.input) { continue }
      let deliversConstituents = outputs[place].photo?.constituentDelivery == true
      if outputs[place].connection != nil, !deliversConstituents {
        issues.append(connectedTwice(connection, sources[place], inputs, "\(path).output"))
      }
      sources[place] = connection.input
      let camera = deliversConstituents ? wiring.camera(named: connection.input) : outputs[place].camera
      var output = outputs[place]
      if deliversConstituents { output.supportsOrientation = wiring.isReadable(camera) }
      let orientation = resolveOrientation(connection, path, of: output, wiring.mounting(of: camera), &issues)
      let resolved = Connection(isEnabled: connection.isEnabled ?? true, orientation: orientation)
      if !deliversConstituents {
        outputs[place].connection = resolved
      } else if !PhotoResolver.add(connection.input, at: camera, resolved, to: &outputs[place]) {
        issues.append(connectedTwice(connection, connection.input, inputs, "\(path).output"))
      }
    }
    PhotoResolver.resolveConstituents(&outputs, asked, inputs: inputs, microphones: microphones, &issues)
  }

  private static func resolveOrientation(
    _ asked: SessionConfiguration.Connection, _ path: String, of output: ResolvedConfiguration.Output,
    _ mounting: Orientation.Rotation, _ issues: inout [CaptureError]
  ) -> Orientation {
    // An output that cannot turn frames gives them unrotated when no angle is named. This is no issue, because the
    // client did not ask for a rotation.
    let angle = asked.rotationAngle ?? (output.supportsOrientation ? UInt32(mounting.rawValue) : 0)
    let rotation = Orientation.Rotation(rawValue: Int(angle))
    if rotation == nil {
      issues.append(
        CaptureError(
          .invalidArgument, "A picture cannot be rotated by \(angle) degrees; name 0, 90, 180 or 270.",
          metadata: ["video_rotation_angle": "\(angle)"], field: "\(path).video_rotation_angle"))
    }
    let orientation = Orientation(rotation: rotation ?? .none, isMirrored: asked.isMirrored ?? false)
    guard !output.supportsOrientation else { return orientation }
    if orientation.isMirrored { issues.append(cannotTurn(output, "\(path).video_mirrored")) }
    if orientation.rotation != .none { issues.append(cannotTurn(output, "\(path).video_rotation_angle")) }
    return orientation
  }

  /// - Parameter former: the input of the output's connection before this one.
  private static func connectedTwice(
    _ connection: SessionConfiguration.Connection, _ former: String?, _ inputs: [String], _ field: String
  ) -> CaptureError {
    let output = connection.output
    guard let former, former != connection.input, inputs.contains(former), inputs.contains(connection.input) else {
      return CaptureError(
        .invalidArgument, "Output \(output) is connected twice; name it once.", metadata: ["output": output],
        field: field)
    }
    return CaptureError(
      .notSupportedInConfiguration,
      "Output \(output) is connected to the cameras \(former) and \(connection.input), and it takes the frames of one "
        + "camera; connect each camera to an output of its own.",
      metadata: ["output": output, "inputs": "\(former), \(connection.input)"], field: field)
  }

  private static func cannotTurn(_ output: ResolvedConfiguration.Output, _ field: String) -> CaptureError {
    var format = "the camera's format"
    if case .videoData(let data) = output.kind, let given = data.format { format = given.fourCC }
    return CaptureError(
      .notSupportedInConfiguration,
      "Output \(output.id) gives frames in \(format) as they come; to rotate or mirror them, name a raw pixel format.",
      metadata: ["output": output.id, "pixel_format": format], field: field)
  }

  private static func unknown(_ what: String, _ id: String, _ known: [String], _ field: String) -> CaptureError {
    let names = known.filter { !$0.isEmpty }.joined(separator: ", ")
    return CaptureError(
      .invalidArgument,
      names.isEmpty
        ? "There is no \(what) to connect; configure one." : "There is no \(what) named \(id); there are: \(names).",
      metadata: [what: id, "known": names], field: field)
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
