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
          let tap = MicrophoneSink(sound) { report(.lost($0)) }
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

/// The sink of one source of sound: passes the sound on, and tells the session of losses and of the end.
final class MicrophoneSink: AudioSink {
  private let sound: AudioFanOut
  private let onLoss: @Sendable (AudioLoss) -> Void
  private let ending = AsyncStream.makeStream(of: CaptureError.self, bufferingPolicy: .bufferingOldest(1))

  init(_ sound: AudioFanOut, onLoss: @escaping @Sendable (AudioLoss) -> Void) {
    self.sound = sound
    self.onLoss = onLoss
  }

  /// Returns why the source ended, or nil when the task is cancelled before.
  func end() async -> CaptureError? {
    for await error in ending.stream { return error }
    return nil
  }

  func receive(_ block: AudioBlock) { sound.receive(block) }

  func soundWasLost(_ loss: AudioLoss) { onLoss(loss) }

  func sourceDidEnd(_ error: CaptureError) { ending.continuation.yield(error) }
}

/// Hands the sound of one microphone to the outputs that take it, and to those who watch its level. Thread-safe.
final class AudioFanOut: Sendable {
  private struct State {
    var outputs: [any CaptureOutput] = []
    var input = ""
  }
  private let state = Locked(State())
  private let levels: AudioLevels

  init(levels: AudioLevels) { self.levels = levels }

  /// Sets who gets the sound from the next block on.
  ///
  /// - Parameter input: the id of the input.
  func configure(outputs: [any CaptureOutput], input: String) {
    state.withLock { $0 = State(outputs: outputs, input: input) }
  }

  /// Hands a block on, on the thread that captures the sound.
  func receive(_ block: AudioBlock) {
    let (outputs, input) = state.withLock { ($0.outputs, $0.input) }
    guard !input.isEmpty else { return }
    for output in outputs { output.receive(block, of: input) }
    levels.receive(block, of: input)
  }
}

extension Microphone {
  /// The rate of sound when the client names none, in Hz, where the microphone has it.
  static let usualSampleRate = 48_000
  /// The number of channels when the client names none, where the microphone has it.
  static let usualChannelCount = 2

  /// The form in which a session captures the microphone: what the client named, and of the rest what the microphone
  /// has that is nearest to the usual.
  func form(for named: SessionConfiguration.PartialAudioFormat) -> AudioFormat {
    // The rate next above the usual one is next best, because no sound is lost. Only PCM has more than 96,000 Hz.
    let rate =
      sampleRates.first { (Self.usualSampleRate...96_000).contains($0) } ?? sampleRates.last { $0 <= 96_000 }
      ?? sampleRates.last ?? Self.usualSampleRate
    let count = channelCounts.last { $0 <= Self.usualChannelCount } ?? channelCounts.first ?? 1
    return AudioFormat(sampleRate: named.sampleRate ?? rate, channelCount: named.channelCount ?? count)
  }

  /// Whether the microphone tells every form that it has.
  var tellsItsForms: Bool {
    unavailable == nil && !mayDeliverMore && !sampleRates.isEmpty && !channelCounts.isEmpty
  }
}

extension MicrophoneRegistry {
  /// The form in which a microphone can be captured now. Its form may have been resolved while it was away or could not
  /// tell its forms.
  func form(of microphone: ResolvedConfiguration.Microphone) async -> AudioFormat {
    guard let present = await self.microphone(microphone.deviceID), present.tellsItsForms else {
      return microphone.format
    }
    return present.form(for: microphone.named)
  }
}
