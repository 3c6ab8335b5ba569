import SwiftProtobuf
import Testing

@testable import GRPCTransport

@Suite(.timeLimit(.minutes(1)))
struct ReflectionTests {
  private typealias Request = Grpc_Reflection_V1_ServerReflectionRequest
  private typealias Response = Grpc_Reflection_V1_ServerReflectionResponse

  @Test(arguments: ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"])
  func listsServicesAndFindsFiles(version: String) async throws {
    try await withServer { router in
      router.unary(.test("Echo")) { (request: Text, _) in request }
      try ReflectionService.register(on: &router, fileDescriptorSet: Self.descriptors.serializedBytes())
    } body: { server in
      let call = await server.client().start(
        MethodDescriptor(service: version, method: "ServerReflectionInfo"))
      let services = try await ask(call, .listServices("")).listServicesResponse.service.map(\.name)
      #expect(
        services == [
          "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection", "test.v1.Test",
        ])

      // The file comes with what it imports.
      for symbol in ["test.v1.Test", "test.v1.Test.Echo", "test.v1.Outer.Inner", "test.v1.Outer.field"] {
        let files = try await ask(call, .fileContainingSymbol(symbol)).fileDescriptorResponse.fileDescriptorProto
        let names = try files.map { try Google_Protobuf_FileDescriptorProto(serializedBytes: $0).name }
        #expect(names == ["test.proto", "base.proto"])
      }
      let base = try await ask(call, .fileByFilename("base.proto")).fileDescriptorResponse
      #expect(base.fileDescriptorProto.count == 1)

      let unknown = try await ask(call, .fileContainingSymbol("test.v1.Nothing"))
      #expect(unknown.errorResponse.errorCode == 5)
      #expect(unknown.originalRequest.fileContainingSymbol == "test.v1.Nothing")
      #expect(try await ask(call, .fileByFilename("nothing.proto")).errorResponse.errorCode == 5)
      #expect(await call.endWrites())
      #expect(await call.read() == nil)
      #expect(await call.finish().code == .ok)
    }
  }

  @Test func filesOfServicesThatAreNotServedAreLeftOut() {
    let served = Self.descriptors.serving([])
    #expect(served.file.map(\.name) == Self.descriptors.file.filter(\.service.isEmpty).map(\.name))
    #expect(Self.descriptors.serving(["test.v1.Test"]).file.count == Self.descriptors.file.count)
    var importing = Self.descriptors
    importing.file.append(
      .with {
        $0.name = "third.proto"
        $0.dependency = ["test.proto"]
      })
    #expect(importing.serving([]).file.map(\.name).contains("test.proto"), "another file needs it")
  }

  @Test func findsExtensions() {
    let index = DescriptorIndex(Self.descriptors)
    #expect(index.extensionNumbers(of: "base.Options") == [1000])
    #expect(index.file(extending: "base.Options", number: 1000) == "test.proto")
    #expect(index.extensionNumbers(of: "test.v1.Outer") == [])
    #expect(index.extensionNumbers(of: "nothing") == nil)
  }

  @Test func bytesThatAreNoDescriptorsAreRefused() {
    var router = RPCRouter()
    #expect(throws: (any Error).self) {
      try ReflectionService.register(on: &router, fileDescriptorSet: [0xff])
    }
  }

  private func ask(_ call: TestCall, _ question: Request.OneOf_MessageRequest) async throws -> Response {
    try await call.send(Request.with { $0.messageRequest = question })
    return try #require(try await call.receive() as Response?)
  }

  private static let descriptors = Google_Protobuf_FileDescriptorSet.with { set in
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
