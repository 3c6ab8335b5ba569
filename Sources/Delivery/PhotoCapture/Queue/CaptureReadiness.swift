/// Whether the next photo may be asked for. Requests are accepted in every state but `sessionNotRunning`; asking while
/// not ready means a longer wait.
public enum CaptureReadiness: Hashable, Sendable, CaseIterable {
  case sessionNotRunning
  case ready
  /// Ready in a moment: the output is being prepared.
  case notReadyMomentarily
  /// A capture waits for its frame.
  case notReadyWaitingForCapture
  /// A photo is being processed.
  case notReadyWaitingForProcessing
}
