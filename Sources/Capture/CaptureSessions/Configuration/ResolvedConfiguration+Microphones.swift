public import CaptureCore

extension ResolvedConfiguration {
  /// A microphone of the session, and the form of its sound.
  public struct Microphone: Hashable, Sendable {
    /// The input's id, which connections name.
    public var id: String
    /// The id of the microphone.
    public var deviceID: String
    /// The form in which the session captures the sound. While the microphone is away this is what the session expects.
    public var format: AudioFormat
    /// What the client named of the form. The microphone decides the rest when it comes.
    public var named: SessionConfiguration.PartialAudioFormat

    /// Names a microphone.
    ///
    /// - Parameters: as the properties of the same names.
    public init(
      id: String, deviceID: String, format: AudioFormat, named: SessionConfiguration.PartialAudioFormat = .init()
    ) {
      self.id = id
      self.deviceID = deviceID
      self.format = format
      self.named = named
    }

    /// Whether both are the same sound, so that a microphone that captures the one need not stop for the other.
    func isSameSound(as other: Self) -> Bool {
      (id, deviceID, format) == (other.id, other.deviceID, other.format)
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

  /// Whether every movie output that takes the sound of an input can code it in a form.
  func codes(_ format: AudioFormat, of input: String) -> Bool {
    outputs.allSatisfy { output in
      guard case .movie(let movie) = output.kind, output.microphones.contains(where: { $0.input == input }) else {
        return true
      }
      return movie.audioCodec.takes(format)
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
