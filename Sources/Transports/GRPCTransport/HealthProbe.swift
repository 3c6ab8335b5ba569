internal import CGRPC
internal import Dispatch
internal import RPCCore
internal import SwiftProtobuf

/// Asks a server whether it is well, by the standard health protocol.
public enum HealthProbe {
  /// What the server answered, or why it did not answer.
  public enum Outcome: Hashable, Sendable {
    case serving
    /// Why not, for people.
    case notServing(String)
  }

  /// Checks the server as a whole over a new plain-text connection.
  ///
  /// - Parameter address: `host:port` or `unix:/path`.
  public static func check(_ address: String, timeout: Duration) async -> Outcome {
    await withCheckedContinuation { continuation in
      // The C function blocks.
      DispatchQueue(label: "grpc.probe").async {
        continuation.resume(returning: blockingCheck(address, timeout: timeout))
      }
    }
  }

  private static func blockingCheck(_ address: String, timeout: Duration) -> Outcome {
    let milliseconds = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
    var message: OpaquePointer?
    var error: UnsafeMutablePointer<CChar>?
    // The request has no fields, which asks for the server as a whole and encodes to no bytes.
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
