internal import CGRPC
internal import Dispatch
internal import RPCCore
internal import SwiftProtobuf

/// Asks a server by the standard health protocol whether the server is serving.
public enum HealthProbe {
  /// The server's answer, or the reason for which no answer came.
  public enum Outcome: Hashable, Sendable {
    case serving
    /// The server is not serving, or did not answer. The text tells people why.
    case notServing(String)
  }

  /// Asks for the health of the whole server over a new plain-text connection.
  ///
  /// - Parameters:
  ///   - address: the server's address, `host:port` or `unix:/path`.
  ///   - timeout: the time after which the probe gives up, in steps of a millisecond.
  /// - Returns: `.serving` when the server says so within the time, else `.notServing` with the reason.
  public static func check(_ address: String, timeout: Duration) async -> Outcome {
    await withCheckedContinuation { continuation in
      // The C function blocks, so it runs on a dispatch queue and not on a thread of Swift's pool.
      DispatchQueue(label: "grpc.probe").async {
        continuation.resume(returning: blockingCheck(address, timeout: timeout))
      }
    }
  }

  private static func blockingCheck(_ address: String, timeout: Duration) -> Outcome {
    let milliseconds = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
    var message: OpaquePointer?
    var error: UnsafeMutablePointer<CChar>?
    // A request without fields asks for the health of the whole server. Its encoding is empty.
    let code = cgrpc_probe_call(
      address, Grpc_Health_V1_Health.check.name.path, cgrpc_bytes(base: nil, count: 0), milliseconds, &message, &error)
    defer {
      if let message { cgrpc_message_destroy(message) }
      if let error { cgrpc_string_destroy(error) }
    }
    guard code == 0, let message else {
      return .notServing(error.map { String(cString: $0) } ?? "status \(code)")
    }
    let bytes = cgrpc_message_bytes(message)
    let response = try? Grpc_Health_V1_HealthCheckResponse(
      serializedBytes: Array(UnsafeRawBufferPointer(start: bytes.base, count: bytes.count)))
    return response?.status == .serving ? .serving : .notServing("the server says \(response?.status ?? .unknown)")
  }
}
