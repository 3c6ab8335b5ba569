public import CaptureCore
internal import Synchronization

/// All microphones of the daemon, from every provider, and the sessions that hold them. Thread-safe.
public final class MicrophoneRegistry: Sendable {
  private let providers: [any MicrophoneProvider]
  private let claims = Mutex<[String: String]>([:])

  /// - Parameter providers: find and open microphones, each of one kind.
  public init(providers: [any MicrophoneProvider] = []) { self.providers = providers }

  /// Returns the microphones as their providers last saw them, ordered by id.
  public func microphones() async -> [Microphone] {
    var all: [Microphone] = []
    for provider in providers { all += await provider.microphones() }
    return all.sorted { $0.id < $1.id }
  }

  /// Claims a microphone for a session. A session may claim again a microphone that it holds.
  ///
  /// - Throws: `deviceInUse` when another session holds the microphone.
  func claim(_ id: String, for session: String) throws(CaptureError) {
    let holder = claims.withLock { claims in
      if claims[id] == nil { claims[id] = session }
      return claims[id]
    }
    guard let holder, holder != session else { return }
    throw CaptureError(
      .deviceInUse, "Device \(id) is used by session \(holder); stop that session first.",
      metadata: ["device": id, "session": holder])
  }

  /// Releases a microphone that a session holds.
  func release(_ id: String, from session: String) {
    claims.withLock { claims in if claims[id] == session { claims[id] = nil } }
  }

  /// Starts a microphone that a session has claimed.
  ///
  /// - Throws: the error of the microphone.
  func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource {
    for provider in providers {
      if await provider.microphones().contains(where: { $0.id == id }) {
        return try await provider.start(format, on: id, sink: sink)
      }
    }
    throw CaptureError(
      .deviceNotFound, "There is no device \(id); ListDevices tells which there are.", metadata: ["device": id])
  }
}
