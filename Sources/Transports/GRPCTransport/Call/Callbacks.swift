internal import CGRPC

// All functions that C calls. Each one unwraps its context and forwards one call. They run on gRPC's threads.

/// - Returns: a retained ``ServerCall``, which ``callDone`` releases; nil for a call that was refused.
func callArrived(context: UnsafeMutableRawPointer?, call: OpaquePointer) -> UnsafeMutableRawPointer? {
  serverEvents(context!).calls.arrived(call).map { Unmanaged.passRetained($0).toOpaque() }
}

func connectionCut(context: UnsafeMutableRawPointer?, peer: cgrpc_bytes, excess: cgrpc_excess) {
  serverEvents(context!).cuts.add(excess == CGRPC_EXCESS_CALLS ? .calls : .bytes, peer: String(peer))
}

func readDone(callContext: UnsafeMutableRawPointer, message: OpaquePointer?, broken: Bool) {
  serverCall(callContext).readDone(message.map(ReceivedMessage.init), broken: broken)
}

func writeDone(callContext: UnsafeMutableRawPointer, ok: Bool) {
  serverCall(callContext).writeDone(ok: ok)
}

func callCancelled(callContext: UnsafeMutableRawPointer) {
  serverCall(callContext).cancelled()
}

func callDone(callContext: UnsafeMutableRawPointer) {
  Unmanaged<ServerCall>.fromOpaque(callContext).takeRetainedValue().done()
}

/// - Parameter owner: the retained payload of a `LentMessage`.
func releaseLentPayload(owner: UnsafeMutableRawPointer?) {
  Unmanaged<AnyObject>.fromOpaque(owner!).release()
}

private func serverEvents(_ context: UnsafeMutableRawPointer) -> ServerEvents {
  Unmanaged<ServerEvents>.fromOpaque(context).takeUnretainedValue()
}

private func serverCall(_ context: UnsafeMutableRawPointer) -> ServerCall {
  Unmanaged<ServerCall>.fromOpaque(context).takeUnretainedValue()
}
