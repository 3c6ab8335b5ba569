import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// Server reflection lets generic clients, such as grpcurl, call the server without its proto files.
@Suite(.timeLimit(.minutes(1)))
struct ReflectionTests {
  private typealias Request = Grpc_Reflection_V1_ServerReflectionRequest
  private typealias Response = Grpc_Reflection_V1_ServerReflectionResponse

  /// Both versions of reflection list all services, and return the file that defines a symbol together with the files
  /// that it imports. For an unknown symbol or file they return an error.
  @Test(arguments: ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"])
  func listsServicesAndFindsFiles(version: String) async throws {
    try await withServer { router in
      router.unary(.test("Echo")) { (request: Text, _) in request }
      try ReflectionService.register(on: &router, fileDescriptorSet: TestDescriptors.set.serializedBytes())
    } body: { server in
      let call = await server.client().start(
        MethodName(service: version, method: "ServerReflectionInfo"))
      let services = try await ask(call, .listServices("")).listServicesResponse.service.map(\.name)
      #expect(
        services == [
          "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection", "test.v1.Test",
        ])

      // The file that defines the symbol comes first, followed by the file that it imports.
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

  /// Sends a question to reflection and returns the answer.
  private func ask(_ call: TestCall, _ question: Request.OneOf_MessageRequest) async throws -> Response {
    try await call.send(Request.with { $0.messageRequest = question })
    return try #require(try await call.receive() as Response?)
  }
}
