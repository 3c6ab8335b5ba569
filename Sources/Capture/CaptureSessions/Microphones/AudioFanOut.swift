internal import CaptureCore
internal import Locking

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
