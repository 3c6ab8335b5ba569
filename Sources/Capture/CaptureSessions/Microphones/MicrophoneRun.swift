internal import CaptureCore
internal import Synchronization

/// One microphone of a running session: opens it, and opens it again when it was lost or could not be opened, until the
/// run ends. A microphone never keeps the pictures waiting.
final class MicrophoneRun: Sendable {
  /// How long the run waits before it tries again.
  static let retryDelay = Duration.seconds(1)

  /// What the run tells the session.
  enum Report: Sendable {
    case running
    case interrupted(CaptureError)
    case lost(AudioLoss)
  }

  /// The microphone and the form of its sound.
  let microphone: ResolvedConfiguration.Microphone
  private let task: Task<Void, Never>
  private let ended = EndFlag()

  /// Whether the run has ended and its microphone is closed.
  var isClosed: Bool { ended.isSet }

  /// Begins to capture.
  ///
  /// - Parameters:
  ///   - session: the id of the session that claims the microphone.
  ///   - former: a run whose microphone is closed first; nil when there is none.
  ///   - clock: times the pauses between retries.
  ///   - report: called in the order of what happened.
  init(
    _ microphone: ResolvedConfiguration.Microphone, of session: String, in registry: MicrophoneRegistry,
    after former: MicrophoneRun?, clock: any Clock<Duration>, sound: AudioFanOut,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.microphone = microphone
    task = Task { [ended] in
      await former?.closed()
      while !Task.isCancelled {
        do throws(CaptureError) {
          try registry.claim(microphone.deviceID, for: session)
          let tap = MicrophoneTap(sound) { report(.lost($0)) }
          let source = try await registry.start(microphone.format, on: microphone.deviceID, sink: tap)
          report(.running)
          if let error = await tap.end() { report(.interrupted(error)) }
          // Harmless after the microphone was lost.
          await source.stop()
        } catch {
          // The end of the run breaks the opening off, which says nothing of the microphone.
          if !Task.isCancelled { report(.interrupted(error)) }
        }
        if !Task.isCancelled { try? await clock.sleep(for: Self.retryDelay) }
      }
      registry.release(microphone.deviceID, from: session)
      ended.set()
    }
  }

  /// Ends the run, which closes the microphone soon.
  func end() { task.cancel() }

  /// Returns when the microphone is closed. The caller has ended the run.
  func closed() async { await task.value }
}

/// Tells another thread that a run has ended.
private final class EndFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }
}
