internal import CGRPC

// The functions of this file are the callbacks that C calls, on gRPC's threads. Each callback converts its context to
// the Swift object behind it and calls one function of this object.

/// Offers a new call to the server.
///
/// - Returns: a retained ``ServerCall``, which ``callDone`` releases. Nil for a call that the server has refused.
func callArrived(context: UnsafeMutableRawPointer?, call: OpaquePointer) -> UnsafeMutableRawPointer? {
  serverEvents(context!).calls.arrived(call).map { Unmanaged.passRetained($0).toOpaque() }
}

/// Counts and logs a connection that the C library has cut.
func connectionCut(context: UnsafeMutableRawPointer?, peer: cgrpc_bytes, excess: cgrpc_excess) {
  serverEvents(context!).cuts.add(excess == CGRPC_EXCESS_CALLS ? .calls : .bytes, peer: String(peer))
}

/// Tells a call that gRPC has answered its read.
func readDone(callContext: UnsafeMutableRawPointer, message: OpaquePointer?, result: cgrpc_read) {
  serverCall(callContext).readDone(message.map(ReceivedMessage.init), result)
}

/// Tells a call that gRPC has answered its write.
func writeDone(callContext: UnsafeMutableRawPointer, ok: Bool) {
  serverCall(callContext).writeDone(ok: ok)
}

/// Tells a call that it is cancelled.
func callCancelled(callContext: UnsafeMutableRawPointer) {
  serverCall(callContext).cancelled()
}

/// Tells a call that gRPC is done with it, and releases the reference that ``callArrived`` returned.
func callDone(callContext: UnsafeMutableRawPointer) {
  Unmanaged<ServerCall>.fromOpaque(callContext).takeRetainedValue().done()
}

/// Releases the payload of a `LentMessage` when gRPC no longer reads its bytes.
///
/// - Parameter owner: the payload, which ``LentMessage/withSlices(_:)`` retained.
func releaseLentPayload(owner: UnsafeMutableRawPointer?) {
  Unmanaged<AnyObject>.fromOpaque(owner!).release()
}

private func serverEvents(_ context: UnsafeMutableRawPointer) -> ServerEvents {
  Unmanaged<ServerEvents>.fromOpaque(context).takeUnretainedValue()
}

private func serverCall(_ context: UnsafeMutableRawPointer) -> ServerCall {
  Unmanaged<ServerCall>.fromOpaque(context).takeUnretainedValue()
}
