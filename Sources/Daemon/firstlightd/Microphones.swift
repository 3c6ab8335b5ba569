internal import AudioCapture
internal import CaptureCore
internal import CaptureSessions
internal import Logging

/// The providers of microphones, and their registry.
struct Microphones: Sendable {
  let real: ALSAMicrophoneProvider
  /// Nil when the configuration asks for no synthetic microphone.
  let synthetic: SyntheticMicrophoneProvider?
  let registry: MicrophoneRegistry

  init(_ configuration: DaemonConfiguration, logger: Logger) {
    let directory = configuration.declared.devices.directory
    let count = configuration.synthetic.microphones
    real = ALSAMicrophoneProvider(directory: directory, logger: logger)
    synthetic = count == 0 ? nil : SyntheticMicrophoneProvider(count: count, directory: directory)
    registry = MicrophoneRegistry(providers: [real] + (synthetic.map { [$0] } ?? []))
  }

  /// The identity of every microphone that is present, independent of the names that an operator gave.
  func identities() async -> [DeviceIdentity] { await real.identities() + (synthetic?.identities ?? []) }
}
