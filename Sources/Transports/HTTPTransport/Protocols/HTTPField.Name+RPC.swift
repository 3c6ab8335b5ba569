internal import HTTPTypes

/// The fields that belong to the protocols.
extension HTTPField.Name {
  static let connectProtocolVersion = Self("connect-protocol-version")!
  static let connectTimeout = Self("connect-timeout-ms")!
  static let connectContentEncoding = Self("connect-content-encoding")!
  static let connectAcceptEncoding = Self("connect-accept-encoding")!
  static let grpcTimeout = Self("grpc-timeout")!
  static let grpcEncoding = Self("grpc-encoding")!
  static let grpcAcceptEncoding = Self("grpc-accept-encoding")!
}
