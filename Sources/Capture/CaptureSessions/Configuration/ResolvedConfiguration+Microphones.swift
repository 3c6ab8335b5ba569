public import CaptureCore

extension ResolvedConfiguration {
  /// A microphone of the session, and the form of its sound.
  public struct Microphone: Hashable, Sendable {
    /// The input's id, which connections name.
    public var id: String
    /// The id of the microphone.
    public var deviceID: String
    /// The form in which the session captures the sound.
    public var format: AudioFormat

    /// Names a microphone.
    ///
    /// - Parameters: as the properties of the same names.
    public init(id: String, deviceID: String, format: AudioFormat) {
      self.id = id
      self.deviceID = deviceID
      self.format = format
    }
  }

  /// The way of sound from a microphone to an output.
  public struct MicrophoneConnection: Hashable, Sendable {
    /// The id of the input.
    public var input: String
    /// Whether sound flows to the output.
    public var isEnabled: Bool

    /// Connects a microphone.
    public init(input: String, isEnabled: Bool = true) {
      self.input = input
      self.isEnabled = isEnabled
    }
  }

  /// The microphones whose sound an output takes.
  var heardMicrophones: [Microphone] {
    microphones.filter { microphone in
      outputs.contains { $0.microphones.contains { $0.input == microphone.id && $0.isEnabled } }
    }
  }

  /// The sound that comes to an output, in the order of the inputs.
  func audio(of output: Output) -> [AudioConnection] {
    microphones.filter { microphone in output.microphones.contains { $0.input == microphone.id && $0.isEnabled } }
      .map { AudioConnection(input: $0.id, format: $0.format) }
  }
}

extension ResolvedConfiguration.Output {
  /// Whether the output can take sound: movies, and previews for those who watch them as a stream with sound.
  var takesSound: Bool {
    switch kind {
    case .movie, .preview: true
    case .photo, .videoData: false
    }
  }
}
