/// Whether a client may ask for the next photo. The output accepts requests in every state except `sessionNotRunning`,
/// but a request that comes while the output is not ready takes longer.
public enum CaptureReadiness: Hashable, Sendable, CaseIterable {
  /// The session does not run, or the connection of the output is disabled. The output refuses requests.
  case sessionNotRunning
  /// The output handles a request at once.
  case ready
  /// The output is about to be ready: it is being prepared, or a photo thread is about to be free.
  case notReadyMomentarily
  /// A capture waits for its frame.
  case notReadyWaitingForCapture
  /// A photo is being processed.
  case notReadyWaitingForProcessing
}
