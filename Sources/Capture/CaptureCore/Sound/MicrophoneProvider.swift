/// Finds the microphones of one kind and opens them. The daemon has one provider for ALSA's microphones and one for
/// synthetic ones.
public protocol MicrophoneProvider: Sendable {
  /// The microphones as the provider last saw them, ordered by id. Only until the provider has looked for microphones
  /// the first time does the caller wait.
  func microphones() async -> [Microphone]

  /// The changes to the microphones from the moment of the call until the consumer stops iterating. A consumer that is
  /// too slow loses the oldest changes and never blocks the provider, so the consumer should read ``microphones()``
  /// again after each change.
  func changes() -> AsyncStream<MicrophoneChange>

  /// Opens the microphone and captures into `sink`. The method returns when the microphone captures; the first blocks
  /// may reach `sink` before that.
  ///
  /// When the method throws, it has closed again everything that it opened.
  ///
  /// - Throws: `deviceNotFound`, `formatNotSupported`, `deviceInUse`, `deviceDisconnected`, `deviceNotResponding`,
  ///   `deviceAccessDenied`, `deviceFailed`.
  func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource
}
