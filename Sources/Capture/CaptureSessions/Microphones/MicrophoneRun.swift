internal import CaptureCore
internal import Locking
internal import Synchronization

/// One microphone of a running session: opens it, and opens it again when it was lost or could not be opened, until the
/// run ends. A microphone never keeps the pictures waiting.
final class MicrophoneRun: Sendable {
  /// How long the run waits before it tries again.
  static let retryDelay = Duration.seconds(1)

  /// What the run tells the session.
  enum Report: Sendable {
    /// The microphone captures in this form.
    case running(AudioFormat)
    case interrupted(CaptureError)
    case lost(AudioLoss)
  }

  private let shared: Shared
  private let task: Task<Void, Never>

  /// The microphone and the form of its sound. The session sets the form that the microphone has.
  var microphone: ResolvedConfiguration.Microphone {
    get { shared.microphone.withLock { $0 } }
    set { shared.microphone.withLock { $0 = newValue } }
  }

  /// Whether the run has ended and its microphone is closed.
  var isClosed: Bool { shared.isClosed.load(ordering: .acquiring) }

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
    shared = Shared(microphone)
    task = Task { [shared] in
      await former?.closed()
      while !Task.isCancelled {
        do throws(CaptureError) {
          try registry.claim(microphone.deviceID, for: session)
          let tap = MicrophoneTap(sound) { report(.lost($0)) }
          let form = await registry.form(of: shared.microphone.withLock { $0 })
          let source = try await registry.start(form, on: microphone.deviceID, sink: tap)
          report(.running(form))
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
      shared.isClosed.store(true, ordering: .releasing)
    }
  }

  /// Ends the run, which closes the microphone soon.
  func end() { task.cancel() }

  /// Returns when the microphone is closed. The caller has ended the run.
  func closed() async { await task.value }
}

/// What the task of a run and the session share.
private final class Shared: Sendable {
  let microphone: Locked<ResolvedConfiguration.Microphone>
  let isClosed = Atomic(false)

  init(_ microphone: ResolvedConfiguration.Microphone) { self.microphone = Locked(microphone) }
}
