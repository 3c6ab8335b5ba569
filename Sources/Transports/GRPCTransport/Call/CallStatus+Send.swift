internal import CGRPC
internal import RPCCore

extension CallStatus {
  /// Finishes the C call with this status. The caller must finish each call exactly once, and not while a write is
  /// under way.
  func send(to call: OpaquePointer) {
    switch self {
    case .ok(let response?):
      var status = cgrpc_status()
      response.withSlices { cgrpc_call_finish(call, &status, true, $0.baseAddress, $0.count) }
    case .ok(nil):
      var status = cgrpc_status()
      cgrpc_call_finish(call, &status, false, nil, 0)
    case .error(let error):
      Array(error.message.utf8).withCBytes { message in
        error.serializedStatus().withCBytes { details in
          var status = cgrpc_status(code: Int32(error.code.rawValue), message: message, details: details)
          cgrpc_call_finish(call, &status, false, nil, 0)
        }
      }
    }
  }
}
