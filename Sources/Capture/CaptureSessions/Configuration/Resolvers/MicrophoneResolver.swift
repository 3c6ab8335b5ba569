internal import CaptureCore

/// Finds the microphones of a configuration, the form of their sound, and the outputs that take it.
enum MicrophoneResolver {
  /// The inputs that are microphones, with their places in the configuration. A composition is none, also when a client
  /// names a microphone beside it.
  static func inputs(
    _ asked: SessionConfiguration, _ microphones: [Microphone]
  ) -> [(place: Int, input: SessionConfiguration.Input, microphone: Microphone)] {
    asked.inputs.enumerated().compactMap { place, input in
      guard !input.isDerived else { return nil }
      return microphones.first { $0.id == input.deviceID }.map { (place, input, $0) }
    }
  }

  /// Resolves the microphones of a configuration.
  ///
  /// - Parameters:
  ///   - misplaced: the places of those that stand before the camera.
  ///   - taken: the ids of the inputs before them.
  static func resolve(
    _ asked: SessionConfiguration, _ microphones: [Microphone], misplaced: [Int], taken: Set<String>,
    _ issues: inout [CaptureError]
  ) -> [ResolvedConfiguration.Microphone] {
    let inputs = Self.inputs(asked, microphones)
    if inputs.count > SessionConfiguration.maximumMicrophones {
      issues.append(
        CaptureError(
          .invalidArgument,
          "A session has at most \(SessionConfiguration.maximumMicrophones) microphones.",
          metadata: ["microphones": "\(inputs.count)"], field: "configuration.inputs"))
    }
    var ids = taken
    var devices: Set<String> = []
    return inputs.compactMap { place, input, microphone in
      let path = "configuration.inputs[\(place)]"
      if misplaced.contains(place) {
        issues.append(
          CaptureError(
            .invalidArgument, "The microphone \(microphone.id) stands before the camera; name the camera first.",
            metadata: ["device": microphone.id], field: "\(path).device"))
      }
      if !devices.insert(microphone.id).inserted {
        issues.append(
          CaptureError(
            .invalidArgument, "The microphone \(microphone.id) is named twice; name it once.",
            metadata: ["device": microphone.id], field: "\(path).device"))
      }
      let id = input.id ?? "microphone"
      if !ids.insert(id).inserted {
        issues.append(
          CaptureError(
            .invalidArgument, "Two inputs are named \(id); give each an id of its own.", metadata: ["input": id],
            field: "\(path).id"))
      }
      return resolve(input, microphone, path, &issues).map {
        ResolvedConfiguration.Microphone(
          id: id, deviceID: microphone.id, format: $0, named: input.audioFormat ?? .init())
      }
    }
  }

  private static func resolve(
    _ input: SessionConfiguration.Input, _ microphone: Microphone, _ path: String, _ issues: inout [CaptureError]
  ) -> AudioFormat? {
    if var refusal = microphone.unavailable {
      refusal.field = "\(path).device"
      issues.append(refusal)
      return nil
    }
    if input.format != nil || input.frameRate != nil {
      issues.append(
        CaptureError(
          .invalidArgument, "\(microphone.id) is a microphone, which has no format of pictures and no frame rate.",
          metadata: ["device": microphone.id],
          field: input.format != nil ? "\(path).format" : "\(path).frame_rate_override"))
    }
    if input.deferredStart != nil {
      issues.append(
        CaptureError(
          .invalidArgument,
          "\(microphone.id) is a microphone, which begins with the first frame; leave deferred_start_enabled unset.",
          metadata: ["device": microphone.id], field: "\(path).deferred_start_enabled"))
    }
    let rates = microphone.sampleRates
    let counts = microphone.channelCounts
    let format = microphone.form(for: input.audioFormat ?? .init())
    // Only a start shows what an input can deliver that another program uses now.
    let isOffered = rates.contains(format.sampleRate) && counts.contains(format.channelCount)
    guard isOffered || microphone.mayDeliverMore else {
      let offered =
        "\(rates.map { "\($0)" }.joined(separator: ", ")) Hz, "
        + "\(counts.map { "\($0)" }.joined(separator: ", ")) channels"
      issues.append(
        CaptureError(
          .formatNotSupported,
          "The microphone \(microphone.id) does not deliver \(format.sampleRate) Hz with \(format.channelCount) "
            + "channels; it offers \(offered).",
          metadata: ["device": microphone.id, "available": offered], field: "\(path).audio_format"))
      return nil
    }
    return format
  }

  /// Connects the microphones as the client asked, or each of them to every output that takes sound when the client
  /// asked for no connection.
  static func connect(
    _ microphones: [ResolvedConfiguration.Microphone], to outputs: inout [ResolvedConfiguration.Output],
    _ asked: SessionConfiguration, _ issues: inout [CaptureError]
  ) {
    if asked.connections.isEmpty {
      for index in outputs.indices where outputs[index].takesSound {
        outputs[index].microphones = microphones.map { .init(input: $0.id) }
      }
    }
    for (index, connection) in asked.connections.enumerated() {
      guard microphones.contains(where: { $0.id == connection.input }),
        let place = outputs.firstIndex(where: { $0.id == connection.output })
      else { continue }
      let path = "configuration.connections[\(index)]"
      if outputs[place].microphones.contains(where: { $0.input == connection.input }) {
        issues.append(
          CaptureError(
            .invalidArgument, "\(connection.input) and \(connection.output) are connected twice; connect them once.",
            metadata: ["input": connection.input, "output": connection.output], field: "\(path).output"))
      }
      if !outputs[place].takesSound {
        issues.append(
          CaptureError(
            .notSupportedInConfiguration,
            "Output \(connection.output) takes no sound; connect a preview or a movie output.",
            metadata: ["output": connection.output], field: "\(path).output"))
      }
      if connection.isMirrored != nil || connection.rotationAngle != nil {
        issues.append(
          CaptureError(
            .invalidArgument, "Sound can neither be mirrored nor rotated; leave both unset.",
            metadata: ["input": connection.input],
            field: connection.isMirrored != nil ? "\(path).video_mirrored" : "\(path).video_rotation_angle"))
      }
      outputs[place].microphones.append(.init(input: connection.input, isEnabled: connection.isEnabled ?? true))
    }
  }

  /// Checks that each movie output can code the sound that it takes.
  static func checkCodecs(
    of microphones: [ResolvedConfiguration.Microphone], for outputs: [ResolvedConfiguration.Output],
    _ issues: inout [CaptureError]
  ) {
    var additional = 0
    for output in outputs {
      guard case .movie(let movie) = output.kind else { continue }
      let path = movie.isMain ? "configuration.movie" : "configuration.additional_movies[\(additional)]"
      if !movie.isMain { additional += 1 }
      for microphone in microphones {
        let isHeard = output.microphones.contains { $0.input == microphone.id }
        guard isHeard, !movie.audioCodec.takes(microphone.format) else { continue }
        let rates = movie.audioCodec.sampleRates?.map { "\($0)" }.joined(separator: ", ") ?? ""
        issues.append(
          CaptureError(
            .notSupportedInConfiguration,
            "Sound of \(microphone.id) with \(microphone.format.sampleRate) Hz and \(microphone.format.channelCount) "
              + "channels cannot be coded in \(movie.audioCodec.rawValue), which has at most "
              + "\(movie.audioCodec.maximumChannelCount) channels and these rates: \(rates) Hz. Name another "
              + "audio_format, or the audio codec PCM.",
            metadata: ["input": microphone.id, "audio_codec": movie.audioCodec.rawValue, "available": rates],
            field: "\(path).audio_codec"))
      }
    }
  }
}

extension SessionConfiguration {
  /// The devices that count as microphones while they are absent, so that nothing says what they are: those after the
  /// first input, unless the configuration asks of them what only a camera has.
  var microphonesIfAbsent: [String] {
    let ids = ConfigurationResolver.inputIDs(self, microphones: [])
    return zip(ids, inputs).dropFirst().filter { !isCamera($1, called: $0) }.map(\.1.deviceID)
  }

  private func isCamera(_ input: Input, called id: String) -> Bool {
    if input.isDerived { return true }
    if input.audioFormat != nil { return false }
    if input.format != nil || input.frameRate != nil || input.deferredStart != nil { return true }
    // Sound comes to an output beside the pictures of a camera, and photos and video data have none.
    let silent = Set([photo?.id ?? "photo"] + videoData.compactMap(\.id))
    return connections.contains { connection in
      connection.input == id
        && (silent.contains(connection.output)
          || !connections.contains { $0.output == connection.output && $0.input != id })
    }
  }
}
