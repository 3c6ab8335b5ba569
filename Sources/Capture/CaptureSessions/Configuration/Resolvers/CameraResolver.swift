internal import CaptureCore

/// Finds the camera and the format of each input that names a device.
enum CameraResolver {
  /// Resolves the cameras of a configuration.
  ///
  /// - Parameters:
  ///   - places: the places of the inputs that are neither compositions nor microphones.
  ///   - ids: the ids of all inputs.
  ///   - preset: picks the format of a camera that names none.
  static func resolve(
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
