internal import CGRPC

/// How a call ends.
enum CallStatus: Sendable {
  /// With the response of a method that has a single one, nil for a stream.
  case ok(LentMessage?)
  /// Completed with a domain already.
  case error(RPCError)

  /// Finishes the C call. Exactly once per call.
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
