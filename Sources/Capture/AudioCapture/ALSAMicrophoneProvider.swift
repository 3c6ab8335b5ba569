public import CaptureCore
internal import Glibc
internal import Locking
public import Logging

/// Provides the inputs of sound cards, and those of a sound server that runs in the session of the daemon's user. A
/// machine without sound costs a thread that waits, and no library.
public final class ALSAMicrophoneProvider: MicrophoneProvider {
  private let changed = Broadcast<MicrophoneChange>(depth: MicrophoneChange.depth)
  private let discovery: MicrophoneDiscovery
  private let logger: Logger

  /// Begins to look for microphones.
  ///
  /// - Parameters:
  ///   - directory: the operator's names. An entry finds a microphone by its own id only.
  ///   - logger: is told the times at which a microphone starts.
  public convenience init(directory: DeviceDirectory = DeviceDirectory(), logger: Logger) {
    self.init(InputFinder(), directory: directory, logger: logger)
  }

  init(_ finder: InputFinder, directory: DeviceDirectory, logger: Logger) {
    self.logger = logger
    discovery = MicrophoneDiscovery(finder, directory, changed)
  }

  deinit { discovery.stop() }

  /// The microphones as the provider last saw them, ordered by id.
  public func microphones() async -> [Microphone] { await discovery.entries().map(\.microphone) }

  /// The identity of every microphone that is present, independent of the names that an operator gave.
  public func identities() async -> [DeviceIdentity] {
    await discovery.entries().map { DeviceIdentity(id: $0.ownID, location: "") }
  }

  /// The changes from now on. A slow listener keeps the newest 64 changes and loses older ones.
  public func changes() -> AsyncStream<MicrophoneChange> { changed.watch() }

  /// Opens the microphone on a thread of its own, which captures until the caller stops the source.
  ///
  /// - Throws: `deviceNotFound`, `deviceAccessDenied`, `formatNotSupported`, `deviceInUse`, `deviceDisconnected`,
  ///   `deviceFailed`, or `processingFailed` when the system cannot create a thread.
  public func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource {
    guard let entry = await discovery.entries().first(where: { $0.microphone.id == id }) else {
      throw .notFound(microphone: id)
    }
    let microphone = entry.microphone
    if let refusal = microphone.unavailable { throw refusal }
    guard DriftCompensation.serves(format.sampleRate), format.channelCount > 0 else {
      throw .notSupported(format, by: microphone)
    }
    let pcm = entry.input.pcm
    logger.debug("The daemon starts a microphone.", metadata: ["device.id": "\(id)", "alsa.pcm": "\(pcm)"])
    return try await MicrophoneThread.start(
      MicrophoneThread.Assignment(
        deviceID: id, format: format, sink: sink,
        open: { () throws(CaptureError) -> any PCM in
          do throws(PCMError) { return try ALSAPCM(pcm, format) } catch {
            throw error.errno == EINVAL ? .notSupported(format, by: microphone) : error.error(device: id)
          }
        },
        didClose: {}))
  }
}
