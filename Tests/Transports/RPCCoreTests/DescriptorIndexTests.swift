import RPCTestKit
import SwiftProtobuf
import Testing

@testable import RPCCore

/// Reflection finds files by what they define, and shows only files that clients can use.
struct DescriptorIndexTests {
  /// The file of a service that the server does not have is left out, unless another file imports it.
  @Test func filesOfServicesThatAreNotServedAreLeftOut() {
    let served = TestDescriptors.set.serving([])
    #expect(served.file.map(\.name) == TestDescriptors.set.file.filter(\.service.isEmpty).map(\.name))
    #expect(TestDescriptors.set.serving(["test.v1.Test"]).file.count == TestDescriptors.set.file.count)
    var importing = TestDescriptors.set
    importing.file.append(
      .with {
        $0.name = "third.proto"
        $0.dependency = ["test.proto"]
      })
    #expect(importing.serving([]).file.map(\.name).contains("test.proto"), "another file imports it")
  }

  /// An extension is found by the message that it extends and its number, and the numbers of a message's extensions are
  /// listed.
  @Test func findsExtensions() {
    let index = DescriptorIndex(TestDescriptors.set)
    #expect(index.extensionNumbers(of: "base.Options") == [1000])
    #expect(index.file(extending: "base.Options", number: 1000) == "test.proto")
    #expect(index.extensionNumbers(of: "test.v1.Outer") == [])
    #expect(index.extensionNumbers(of: "nothing") == nil)
  }

  /// Registering reflection throws when the bytes are no set of descriptors, so that a broken build is noticed at the
  /// start.
  @Test func bytesThatAreNoDescriptorsAreRefused() {
    var router = RPCRouter(access: nil)
    #expect(throws: (any Error).self) {
      try ReflectionService.register(on: &router, fileDescriptorSet: [0xff])
    }
  }
}
