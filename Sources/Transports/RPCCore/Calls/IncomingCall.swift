/// A whole call, as a transport hands it to ``CallExecutor``.
package protocol IncomingCall: CallTransport {
  var context: CallContext { get }
  /// True once the client is gone or the deadline has passed.
  var isCancelled: Bool { get }
  /// Returns when the call is cancelled or when the executor has called ``handled()``. The executor calls it once.
  func waitForCancellation() async
  /// Ends ``waitForCancellation()``, because the handler has returned.
  func handled()
  /// Sends the status and ends the call. The executor calls it once, before ``handled()``.
  func finish(_ status: CallStatus, trailingMetadata: Metadata)
}
