public import CaptureCore
internal import Locking

/// Provides microphones made of software. Their sound comes from real threads in real time and says when it was
/// captured; see docs/time-signal.md.
public final class SyntheticMicrophoneProvider: MicrophoneProvider {
  private let all: [SyntheticMicrophone]
  private let changed = Broadcast<MicrophoneChange>(depth: MicrophoneChange.depth)
  /// The identity of every microphone, unplugged ones included, independent of the names that an operator gave.
  public let identities: [DeviceIdentity]

  /// Makes `count` microphones, all plugged in.
  ///
  /// - Parameters:
  ///   - count: a negative number counts as 0.
  ///   - drift: by how many millionths the clocks of their cards are too fast.
  ///   - directory: the operator's names. Other microphones are called `synthetic-microphone-0` and so on.
  public init(count: Int, drift: Double = 0, directory: DeviceDirectory = DeviceDirectory()) {
    let plain = (0..<max(0, count)).map(SyntheticMicrophone.microphone)
    identities = plain.map { DeviceIdentity(id: $0.id, location: $0.location) }
    all = zip(plain, directory.name(identities)).enumerated().map { index, named in
      SyntheticMicrophone(named.1.applied(to: named.0), index: index, drift: drift)
    }
  }

  /// Makes these microphones misbehave.
  public var faults: SyntheticMicrophoneFaults {
    SyntheticMicrophoneFaults(microphones: all, changed: changed)
  }

  /// The microphones that are plugged in, ordered by id.
  public func microphones() async -> [Microphone] {
    all.filter(\.isPlugged).map(\.microphone).sorted { $0.id < $1.id }
  }

  /// The changes from now on. A slow listener keeps the newest 64 changes and loses older ones.
  public func changes() -> AsyncStream<MicrophoneChange> { changed.watch() }

  /// Starts a thread that gives sound in real time, until the caller stops the source.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected` while the microphone is unplugged, `formatNotSupported`,
  ///   `deviceInUse` while another source has the microphone, `processingFailed` when the system gives no thread.
  public func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource {
    try await all.named(id).start(format, sink: sink)
  }
}
