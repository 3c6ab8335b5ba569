/// The reason for which the state machine refuses an operation.
enum CallFailure: Equatable {
  /// The call is cancelled.
  case cancelled
  /// Another read or another write, respectively, is under way.
  case busy
  /// The handler has returned.
  case finished
}
