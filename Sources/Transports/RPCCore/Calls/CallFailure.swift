/// The reason for which ``CallStateMachine`` refuses an operation.
package enum CallFailure: Equatable {
  /// The call is cancelled.
  case cancelled
  /// Another read or another write, respectively, is under way.
  case busy
  /// The handler has returned.
  case finished

  /// The error that the handler gets.
  package var error: any Error {
    switch self {
    case .cancelled: CancellationError()
    case .busy: RPCError(.internal, "The handler reads or writes twice at the same time.")
    case .finished: RPCError(.internal, "The handler has returned; its streams are closed.")
    }
  }
}
