package import SwiftProtobuf

/// Descriptors of two proto files: `test.proto`, which has the service of the tests, and `base.proto`, which
/// `test.proto` imports.
package enum TestDescriptors {
  /// The descriptors of both files.
  package static let set = Google_Protobuf_FileDescriptorSet.with { set in
    set.file = [
      .with {
        $0.name = "base.proto"
        $0.package = "base"
        $0.messageType = [.with { $0.name = "Options" }]
      },
      .with {
        $0.name = "test.proto"
        $0.package = "test.v1"
        $0.dependency = ["base.proto"]
        $0.messageType = [
          .with {
            $0.name = "Outer"
            $0.field = [.with { $0.name = "field" }]
            $0.nestedType = [.with { $0.name = "Inner" }]
          }
        ]
        $0.extension = [
          .with {
            $0.name = "colour"
            $0.number = 1000
            $0.extendee = ".base.Options"
          }
        ]
        $0.service = [
          .with {
            $0.name = "Test"
            $0.method = [.with { $0.name = "Echo" }]
          }
        ]
      },
    ]
  }
}
