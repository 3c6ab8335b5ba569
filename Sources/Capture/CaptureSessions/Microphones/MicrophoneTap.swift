internal import CaptureCore

/// The sink of one source of sound: passes the sound on, and tells the session of losses and of the end.
final class MicrophoneTap: AudioSink {
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
