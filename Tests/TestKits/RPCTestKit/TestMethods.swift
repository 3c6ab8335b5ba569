package import RPCCore
package import SwiftProtobuf

/// The message of most methods of the tests.
package typealias Text = Google_Protobuf_StringValue

extension MethodName {
  /// A method of the service that the tests define.
  package static func test(_ method: String) -> MethodName { MethodName(service: "test.v1.Test", method: method) }
}

extension MethodDescriptor {
  /// A method of the service that the tests define.
  package static func test(_ method: String, _ kind: Kind = .unary) -> MethodDescriptor {
    MethodDescriptor(service: "test.v1.Test", method: method, kind: kind)
  }
}
