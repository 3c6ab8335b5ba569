internal import CaptureCore

/// Fills in the defaults of a photo output, and finds the cameras of which it delivers photos.
enum PhotoResolver {
  /// Resolves the photo output, and adds an issue for each feature that the camera's format does not support.
  ///
  /// - Parameter format: the camera's format; nil when there is no camera.
  static func resolve(
    _ photo: SessionConfiguration.Photo, _ format: DeviceFormat?, _ issues: inout [CaptureError]
  ) -> ResolvedConfiguration.Output {
    if let window = photo.zeroShutterLagWindow, window > ConfigurationResolver.maximumWindow {
      issues.append(
        CaptureError(
          .invalidArgument, "A zero shutter lag window of \(window) ns is longer than 5 s.",
          metadata: ["zero_shutter_lag_window": "\(window)"], field: "configuration.photo.zero_shutter_lag_window"))
    }
    var resolved = ResolvedConfiguration.Photo()
    resolved.supportsZeroShutterLag = format?.supportsHighestPhotoQuality ?? true
    resolved.supportedQuality = supportedQuality(format)
    resolved.constituentDelivery = photo.constituentDelivery ?? false
    resolved.features = PhotoFeatures(
      zeroShutterLag: photo.zeroShutterLag ?? resolved.supportsZeroShutterLag,
      maxQuality: photo.maxQuality ?? min(.balanced, resolved.supportedQuality),
      responsiveCapture: photo.responsiveCapture ?? false,
      fastCapturePrioritization: photo.fastCapturePrioritization ?? false)

    let id = photo.id ?? "photo"
    func refuse(_ field: String, _ message: String) {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration, message, metadata: ["output": id], field: "configuration.photo.\(field)")
      )
    }
    if photo.zeroShutterLag == true, !resolved.supportsZeroShutterLag {
      refuse(
        "zero_shutter_lag_enabled",
        "A binned format cannot give photos of the highest quality, which zero shutter lag needs; use a format whose "
          + "highest_photo_quality_supported is true, or leave zero_shutter_lag_enabled unset.")
    }
    if resolved.features.maxQuality > resolved.supportedQuality {
      refuse(
        "max_quality_prioritization",
        "Photos of this camera's format are made at most with \(resolved.supportedQuality); ask for that, or leave "
          + "max_quality_prioritization unset.")
    }
    if resolved.features.responsiveCapture, !resolved.supportsResponsiveCapture {
      refuse(
        "responsive_capture_enabled", "Responsive capture needs zero shutter lag; enable that, or leave it unset.")
    }
    if resolved.features.fastCapturePrioritization, !resolved.supportsFastCapturePrioritization {
      refuse(
        "fast_capture_prioritization_enabled",
        "Fast capture prioritization needs responsive capture; enable that, or leave it unset.")
    }
    if photo.depthDelivery == true {
      refuse(
        "depth_data_delivery_enabled",
        "No camera that the daemon supports measures depth; leave depth_data_delivery_enabled unset.")
    }
    return ResolvedConfiguration.Output(
      id: id, deferredStart: photo.deferredStart ?? true, kind: .photo(resolved))
  }

  /// Returns the highest quality that photos of the format can be made with.
  private static func supportedQuality(_ format: DeviceFormat?) -> PhotoQuality {
    guard let format else { return .quality }
    // A photo cannot be merged from frames in a format that Firstlight cannot read. Frames of wide grey are not merged
    // either: each one is made a picture with the values that it uses itself.
    let published = format.convertedTo ?? format.pixelFormat
    return published.isWideGrey || FrameLayout.packed(published, Size(width: 2, height: 2)) == nil ? .speed : .quality
  }

  /// Takes over a connection from one of several cameras to a photo output.
  ///
  /// - Parameter camera: the place of the camera; nil for one that could not be resolved.
  /// - Returns: false when the camera is connected already.
  static func add(
    _ input: String, at camera: Int?, _ connection: Connection, to output: inout ResolvedConfiguration.Output
  ) -> Bool {
    guard !output.constituents.contains(where: { $0.input == input }) else { return false }
    guard let camera else { return true }
    output.constituents.append(.init(input: input, camera: camera, connection: connection))
    output.constituents.sort { $0.camera < $1.camera }
    output.connection = output.constituents[0].connection
    return true
  }

  /// Checks which inputs are connected to photo outputs that deliver photos of several cameras, and lets captures name
  /// them.
  ///
  /// - Parameters:
  ///   - inputs: the ids of all inputs.
  ///   - microphones: the places of the inputs that are microphones.
  static func resolveConstituents(
    _ outputs: inout [ResolvedConfiguration.Output], _ asked: SessionConfiguration, inputs: [String],
    microphones: [Int], _ issues: inout [CaptureError]
  ) {
    for index in outputs.indices where outputs[index].photo?.constituentDelivery == true {
      let id = outputs[index].id
      let wires = asked.connections.enumerated().filter { $0.element.output == id }
      func isConnected(_ place: Int) -> Bool { wires.contains { $0.element.input == inputs[place] } }
      let pictures = asked.inputs.indices.filter { !microphones.contains($0) && isConnected($0) }
      for place in pictures where asked.inputs[place].isDerived {
        let wire = wires.first { $0.element.input == inputs[place] }?.offset ?? 0
        issues.append(
          CaptureError(
            .notSupportedInConfiguration,
            "\(inputs[place]) is a composition, and the photo output \(id) delivers the photos of several cameras; "
              + "connect the composition to another output, or leave constituent_photo_delivery_enabled unset.",
            metadata: ["output": id, "input": inputs[place]], field: "configuration.connections[\(wire)].input"))
      }
      let cameras = pictures.filter { !asked.inputs[$0].isDerived }
      if cameras.count < 2 {
        let names = cameras.isEmpty ? "none" : cameras.map { inputs[$0] }.joined(separator: ", ")
        issues.append(
          CaptureError(
            .notSupportedInConfiguration,
            "The photo output \(id) is to deliver the photos of several cameras, and connections join \(names) to it; "
              + "connect two cameras or more, or leave constituent_photo_delivery_enabled unset.",
            metadata: ["output": id, "inputs": names],
            field: "configuration.photo.constituent_photo_delivery_enabled"))
      }
      let connected = outputs[index].constituents.map(\.input)
      outputs[index].photo?.features.constituents = connected
    }
  }
}
