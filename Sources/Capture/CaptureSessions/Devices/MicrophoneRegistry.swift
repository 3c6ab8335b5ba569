public import CaptureCore
internal import Locking

/// All microphones of the daemon, from every provider, and the sessions that hold them. Thread-safe.
public final class MicrophoneRegistry: Sendable {
  private let providers: [any MicrophoneProvider]
  /// The session that holds each microphone, by the id of the microphone.
  private let claims = Locked<[String: String]>([:])

  /// Manages the microphones of all providers.
  ///
  /// - Parameter providers: find and open microphones, each of one kind.
  public init(providers: [any MicrophoneProvider] = []) { self.providers = providers }

  /// Hands every change that the providers report to `tell`, until the task is cancelled.
  func run(_ tell: @escaping @Sendable (MicrophoneChange) -> Void) async {
    await withDiscardingTaskGroup { group in
      for provider in providers {
        let changes = provider.changes()
        group.addTask { for await change in changes { tell(change) } }
      }
    }
  }

  /// The microphones that are present now, ordered by id.
  public func microphones() async -> [Microphone] {
    var all: [Microphone] = []
    for provider in providers { all += await provider.microphones() }
    return all.sorted { $0.id < $1.id }
  }

  /// The microphone called `id` as it is now; nil when there is none.
  public func microphone(_ id: String) async -> Microphone? {
    for provider in providers {
      if let found = await provider.microphones().first(where: { $0.id == id }) { return found }
    }
    return nil
  }

  /// The id of the session that holds the microphone; nil when no session does.
  public func holder(of id: String) -> String? { claims.withLock { $0[id] } }

  /// The id of the session that holds each claimed microphone, by the id of the microphone.
  public var holders: [String: String] { claims.withLock { $0 } }

  /// Claims a microphone for a session. A session may claim again a microphone that it holds.
  ///
  /// - Throws: `deviceInUse` when another session holds the microphone.
  func claim(_ id: String, for session: String) throws(CaptureError) {
    let holder = claims.withLock { claims in
      if claims[id] == nil { claims[id] = session }
      return claims[id]
    }
    if let holder, holder != session { throw Self.inUse(id, by: holder) }
  }

  /// Releases a microphone that the session holds.
  func release(_ id: String, from session: String) {
    claims.withLock { claims in if claims[id] == session { claims[id] = nil } }
  }

  /// Starts a microphone that the session has claimed.
  ///
  /// - Throws: the error of the microphone.
  func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource {
    for provider in providers {
      do { return try await provider.start(format, on: id, sink: sink) } catch {
        guard error.reason == .deviceNotFound else { throw error }
      }
    }
    throw CaptureError(
      .deviceNotFound, "There is no microphone \(id); ListDevices tells which there are.", metadata: ["device": id])
  }

  private static func inUse(_ id: String, by holder: String) -> CaptureError {
    CaptureError(
      .deviceInUse, "Device \(id) is used by session \(holder); stop that session first.",
      metadata: ["device": id, "session": holder])
  }
}
