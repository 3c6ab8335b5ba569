/// A call that a client has made, with everything that ``CallExecutor`` needs to run and to end the call.
package protocol IncomingCall: CallTransport {
  /// The facts of the call: method, client, metadata, deadline.
  var context: CallContext { get }
  /// True once the client has cancelled the call, has disconnected, or has let the deadline pass.
  var isCancelled: Bool { get }
  /// Returns when the call is cancelled, or when the executor has called ``handled()``. The executor calls this
  /// function once.
  func waitForCancellation() async
  /// Makes ``waitForCancellation()`` return. The executor calls this function when the handler has returned.
  func handled()
  /// Sends the status and ends the call. The executor calls this function once, before it calls ``handled()``.
  func finish(_ status: CallStatus, trailingMetadata: Metadata)
}
