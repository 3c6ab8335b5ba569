internal import CaptureCore

/// The microphones of a session. They run while the session runs and an output takes their sound.
///
/// Belongs to the session's actor.
final class SessionMicrophones {
  private struct Entry {
    let run: MicrophoneRun
    /// Tells the reports of the run from those of an earlier one.
    let generation: UInt64
    let sound: AudioFanOut
    var status: InputStatus
  }

  let registry: MicrophoneRegistry
  private let clock: any Clock<Duration>
  private let port: SessionPort
  /// By the id of the input.
  private var entries: [String: Entry] = [:]
  private var ending: [MicrophoneRun] = []
  private var lastGeneration: UInt64 = 0

  init(registry: MicrophoneRegistry, clock: any Clock<Duration>, port: SessionPort) {
    self.registry = registry
    self.clock = clock
    self.port = port
  }

  /// Ends the runs of all other microphones than these, starts runs for them, and hands their sound to the outputs that
  /// take it.
  ///
  /// - Parameters:
  ///   - mayBegin: whether runs may start now.
  ///   - hosted: the outputs of the session, by id.
  func follow(
    _ wanted: [ResolvedConfiguration.Microphone], mayBegin: Bool, by resolved: ResolvedConfiguration,
    to hosted: [String: HostedOutput]
  ) {
    // Each commit may end runs, and only a stop waits for them.
    ending.removeAll(where: \.isClosed)
    for (id, entry) in entries where !wanted.contains(where: { $0.isSameSound(as: entry.run.microphone) }) {
      entry.sound.configure(outputs: [], input: "")
      entry.run.end()
      ending.append(entry.run)
      entries[id] = nil
      port.audioLevels.forget(input: id)
      tell(InputStatus(input: id, deviceID: entry.run.microphone.deviceID, status: SessionStatus(.stopped)))
    }
    for microphone in wanted {
      if entries[microphone.id] == nil, mayBegin { begin(microphone) }
      entries[microphone.id]?.run.microphone = microphone
      let outputs = resolved.outputs.filter { output in
        output.microphones.contains { $0.input == microphone.id && $0.isEnabled }
      }
      entries[microphone.id]?.sound.configure(
        outputs: outputs.compactMap { hosted[$0.id]?.output }, input: microphone.id)
    }
  }

  private func begin(_ microphone: ResolvedConfiguration.Microphone) {
    let sound = AudioFanOut(levels: port.audioLevels)
    lastGeneration += 1
    let run = MicrophoneRun(
      microphone, of: port.sessionID, in: registry,
      after: ending.last { $0.microphone.deviceID == microphone.deviceID }, clock: clock, sound: sound
    ) { [signals = port.signals, generation = lastGeneration] in
      signals.yield(.microphone(input: microphone.id, generation: generation, $0))
    }
    let status = InputStatus(
      input: microphone.id, deviceID: microphone.deviceID, status: SessionStatus(.starting))
    entries[microphone.id] = Entry(run: run, generation: lastGeneration, sound: sound, status: status)
    tell(status)
  }

  /// Whether a report comes from the present run of an input.
  func isCurrent(_ generation: UInt64, of input: String) -> Bool { entries[input]?.generation == generation }

  /// Takes over the form in which a microphone came. Its run goes on.
  func take(_ microphone: ResolvedConfiguration.Microphone) { entries[microphone.id]?.run.microphone = microphone }

  /// Takes a report of a run.
  func note(_ report: MicrophoneRun.Report, of input: String, generation: UInt64) {
    guard isCurrent(generation, of: input), var entry = entries[input] else { return }
    switch report {
    case .lost(let loss):
      port.tell(.audioLost(input: input, loss))
      return
    case .running: (entry.status.status, entry.status.error) = (SessionStatus(.running), nil)
    case .interrupted(let error):
      // A microphone that stays away is tried again and again.
      if entry.status.error?.reason == error.reason { return }
      let reason = InterruptionReason(ofRetry: error) ?? .deviceStalled
      (entry.status.status, entry.status.error) = (SessionStatus(.interrupted, interruption: reason), error)
    }
    entries[input] = entry
    tell(entry.status)
  }

  /// What a microphone does.
  func status(of microphone: ResolvedConfiguration.Microphone) -> InputStatus {
    entries[microphone.id]?.status
      ?? InputStatus(input: microphone.id, deviceID: microphone.deviceID, status: SessionStatus(.stopped))
  }

  /// Returns when every microphone is closed whose run has ended.
  nonisolated(nonsending) func closed() async {
    while let run = ending.popLast() { await run.closed() }
  }

  private func tell(_ status: InputStatus) { port.tell(.inputChanged(status)) }
}
