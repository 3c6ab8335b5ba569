package import RPCCore
package import SwiftProtobuf

/// The message type of most methods in the tests.
package typealias Text = Google_Protobuf_StringValue

extension MethodName {
  /// The name of a method of the tests' service, `test.v1.Test`.
  package static func test(_ method: String) -> MethodName { MethodName(service: "test.v1.Test", method: method) }
}

extension MethodDescriptor {
  /// A method of the tests' service, `test.v1.Test`.
  package static func test(_ method: String, _ kind: Kind = .unary) -> MethodDescriptor {
    MethodDescriptor(service: "test.v1.Test", method: method, kind: kind)
  }
}
