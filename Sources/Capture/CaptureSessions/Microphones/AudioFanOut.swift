internal import CaptureCore
internal import Synchronization

/// Hands the sound of one microphone to the outputs that take it. Thread-safe.
final class AudioFanOut: Sendable {
  private struct State {
    var outputs: [any CaptureOutput] = []
    var input = ""
  }
  private let state = Mutex(State())

  /// Sets who gets the sound from the next block on.
  ///
  /// - Parameter input: the id of the input.
  func configure(outputs: [any CaptureOutput], input: String) {
    state.withLock { $0 = State(outputs: outputs, input: input) }
  }

  /// Hands a block on, on the thread that captures the sound.
  func receive(_ block: AudioBlock) {
    let (outputs, input) = state.withLock { ($0.outputs, $0.input) }
    for output in outputs { output.receive(block, of: input) }
  }
}
