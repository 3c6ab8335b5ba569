// DO NOT EDIT. Made by scripts/generate-protos.
// swift-format-ignore-file

/// The methods of `grpc.health.v1.Health`.
package enum Grpc_Health_V1_Health {
  /// The service's full name.
  package static let serviceName = "grpc.health.v1.Health"
  /// `grpc.health.v1.Health/Check`: one request, one response.
  package static let check = MethodDescriptor(
    service: serviceName, method: "Check", kind: .unary)
  /// `grpc.health.v1.Health/Watch`: one request, a stream of responses.
  package static let watch = MethodDescriptor(
    service: serviceName, method: "Watch", kind: .serverStreaming)
}

/// The methods of `grpc.reflection.v1.ServerReflection`.
package enum Grpc_Reflection_V1_ServerReflection {
  /// The service's full name.
  package static let serviceName = "grpc.reflection.v1.ServerReflection"
  /// `grpc.reflection.v1.ServerReflection/ServerReflectionInfo`: streams both ways.
  package static let serverReflectionInfo = MethodDescriptor(
    service: serviceName, method: "ServerReflectionInfo", kind: .bidirectional)
}

/// The methods of `grpc.reflection.v1alpha.ServerReflection`.
package enum Grpc_Reflection_V1alpha_ServerReflection {
  /// The service's full name.
  package static let serviceName = "grpc.reflection.v1alpha.ServerReflection"
  /// `grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo`: streams both ways.
  package static let serverReflectionInfo = MethodDescriptor(
    service: serviceName, method: "ServerReflectionInfo", kind: .bidirectional)
}
