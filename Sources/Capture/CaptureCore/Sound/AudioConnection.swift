/// The way of sound from a microphone of a session to an output, while it is enabled.
public struct AudioConnection: Hashable, Sendable {
  /// The id of the session's input.
  public var input: String
  /// The form of the sound. Blocks may have another form, which a recording converts: a microphone that was away when
  /// the form was resolved may come in another one, and a pre-roll may have sound from before that.
  public var format: AudioFormat

  /// Creates a connection.
  ///
  /// - Parameters: as the properties of the same names.
  public init(input: String, format: AudioFormat) {
    self.input = input
    self.format = format
  }
}
